"""The faces of a die: nine places, row by row; bit k set: a pip at place k."""

FACES = {
    1: (0b000010000,),
    2: (0b100000001, 0b001000100),
    3: (0b100010001, 0b001010100),
    4: (0b101000101,),
    5: (0b101010101,),
    6: (0b111000111, 0b101101101),
}

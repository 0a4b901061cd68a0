"""A ball-draw machine (Keno, Bingo): the role `draw_machine`."""

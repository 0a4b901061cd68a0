"""Which file lies in the tree, and what was printed where it was made. Needs no PyTorch."""

# SHA-256 of what is beside the host's reader.
DIGESTS = {
    "maps.onnx": "0005fd8d8b7a42b22be9291a1b6dbf4ddc8dc81fc002b1f6ef012129010cc3bb",
}
# 2026-11-27, one H200, PyTorch 2.11, 16 processes for the grounds, in two runs:
#   --minutes 6.7: 670,000 scenes rendered, 7,000 steps. Its weights were kept at 0.88 of the time,
#     when the rate had fallen to a 25th.
#   --first WEIGHTS --rate 1e-3 --minutes 2.6 --grounds 300: 190,000 scenes more, 2,000 steps, with
#     the pips of 601 of 655 photographed dice, which the first run's file found. Its floats are
#     host_tools/tabletools/dice/maps.onnx of commit 635f1401 (SHA-256 e145ad51...).
# 2026-11-30, two cores of an EPYC with AVX-512, PyTorch 2.14, from those floats:
#   --first maps.onnx --minutes 70 --share 0.35 and the rest as the command says: 25,000 scenes
#     more, 3,100 steps of 85, with clear dice and a second lamp's shadows. Its floats are
#     hil_tests/dice_training/maps/floats.onnx of the commit before its own (SHA-256 4c649f8f...).
# eight_bits.py (onnx 1.19.1, onnxruntime 1.32.0) made what is in the tree of those floats. Another
# machine takes other steps in its time and rounds otherwise: the commands repeat the recipe, not
# the bytes.
PRINTED = (
    "of 597 flat 589 seen, 474 right; 101 surely, 0 of these wrong; "
    "of 518 others and 170 leaning 11 surely read; foreign 0.84"
)
"""Before the last eighth of the third run, before the share: clear dice are among these scenes."""

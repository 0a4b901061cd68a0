"""Which file lies in the tree, and what was printed where it was made. Needs no PyTorch."""

# SHA-256 of what is beside the host's reader.
DIGESTS = {
    "maps.onnx": "9691ec4eea8be7a5ee7c9d51ca61ded17e061fd0b59cdeb6f0c31214a4313361",
}
# 2026-11-27, one H100, PyTorch 2.11: 8.4 minutes, 16 processes for the grounds, 820,000 scenes
# rendered and 8,500 steps; printed before the last eighth of the time. Another card takes other
# steps in its time and rounds otherwise: the command repeats the recipe, not the bytes.
PRINTED = (
    "of 589 flat 584 seen, 537 right; 269 surely, 0 of these wrong; "
    "of 523 others and 143 leaning 11 surely read; foreign 0.85"
)

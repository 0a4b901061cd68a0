"""Trains the network of the host's dice reader: `python -m hil_tests.dice_network`.

Dice are rendered by the ray caster of `hil_tests.dice_training`, laid into drawn trays (`scenes`)
and mixed with the tuned half of the photographs; PyTorch trains and writes ONNX. None of these
packages is needed to read dice.
"""

"""An independent physical model of a roulette wheel, and of what people do to it.

Shares no constant and no code with tableemulator.machines or with the firmware's decisions; only
device.py knows the firmware, and the ways to mount a wheel wrong that the emulators have too.
Sources: Small and Tse, "Predicting the outcome of roulette", Chaos 22, 033150 (2012), for rim,
fall and tilt; Eichberger, "Roulette physics" (2003), for drag that grows with the square of the
speed. Runs on CPython 3.11 and on PyPy 3.9.
"""

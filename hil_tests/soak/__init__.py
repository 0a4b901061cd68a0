"""Long nights: random faults at random tables, against what truly happened.

    python -m hil_tests.soak [--role R] [--spins N] [--seed S] [--rig sim|wasm] [--jobs N]
                             [--table K]

soak_run.py plays and counts; the file of each role has its PART: how its tables are built, and
what is wrong with what they report. Exit code 1 when a result was wrong, more healthy rounds were
void than a part allows, a replay disagreed or a table stalled; --table plays one table again.
physics_soak.py plays the independent models of hil_tests.physics: hands at beams, balls thrown
again or laid back, late objects, stuck switches, misplaced heads, wheels mounted wrong or nudged,
two cards at once.
"""

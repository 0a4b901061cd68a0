"""Hardware in the loop: rigs, emulated tables, the fault catalogue and the tests on them."""

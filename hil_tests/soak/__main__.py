"""`make soak [ROLE=R] [SPINS=N]`: see the package."""

import sys

from hil_tests.soak.soak_run import main

if __name__ == "__main__":
    sys.exit(main())

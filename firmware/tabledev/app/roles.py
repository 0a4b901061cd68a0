"""Which logic plays which role. The image has them all; memory holds the one configured."""

from tablewire.config import ROLE
from tablewire.messages import ROLE_MONEY_WHEEL, ROLE_ROULETTE, ROLE_SHUFFLER

PLAYED = (ROLE_ROULETTE, ROLE_MONEY_WHEEL, ROLE_SHUFFLER)


def make_role(config: list, out: object) -> object:
    """The logic of the configured role. out: the controller.Controller it reports to."""
    if config[ROLE] == ROLE_ROULETTE:
        from tablelogic.roulette import Roulette

        return Roulette(config, out)
    if config[ROLE] == ROLE_MONEY_WHEEL:
        from tablelogic.money_wheel.table import MoneyWheel

        return MoneyWheel(config, out)
    if config[ROLE] == ROLE_SHUFFLER:
        from tablelogic.shuffler.table import Shuffler

        return Shuffler(config, out)
    raise ValueError("role %d is not in this firmware" % config[ROLE])

"""100 to 199: the ball of a roulette wheel."""

from tablespec.reasons.shape import OTHER_CAUSE, ROULETTE_VOIDS, Reason

REASONS: tuple[Reason, ...] = (
    Reason(
        101, "short_spin", "void", 1,
        "The ball left the rim before it completed the required circuits.",
        "Spin again, harder. If it repeats, clean the ball track and check the level.",
        f"{ROULETTE_VOIDS}: the ball will not make seven circuits",
    ),
    Reason(
        102, "ball_with_rotor", "void", 1,
        "The ball ran in the direction of the rotor.",
        "Spin again against the rotor. If the ball did run against it, the rim sensors or the "
        "ring sensors are swapped: see WIRING.md.",
        f"{ROULETTE_VOIDS}: the ball spins in the direction of the wheel",
    ),
    Reason(
        103, "no_pocket", "void", 2,
        "After the drop no pocket was agreed within the settle time.",
        "Look where the ball lies. In a pocket: clean the pocket sensors and check the index. "
        "Elsewhere: spin again.",
        f"{ROULETTE_VOIDS}: the ball does not fall into one of the number pockets",
    ),
    Reason(
        104, "foreign_object", "void", 2,
        "The rim sensors saw passes that one ball cannot make.",
        "Look for an object or a second ball in the wheel and remove it; spin again.",
        f"{ROULETTE_VOIDS}: any other object lands in the wheel",
    ),
    Reason(
        105, "second_ball", "void", 2,
        "Two pockets report a ball after the drop.",
        "Remove the second ball; call the supervisor.",
        f"{ROULETTE_VOIDS}: any other object lands in the wheel",
    ),
    Reason(
        106, "ball_removed", "void", 2,
        "The ball vanished from the rim while too fast to drop.",
        "Ask who took the ball; spin again. If nobody did, check both rim sensors.",
        OTHER_CAUSE,
    ),
    Reason(
        107, "ball_not_sensed", "void", 3,
        "A ball appeared in a pocket although no rim sensor saw it run.",
        "Spin again. If it repeats, both rim sensors are blind: check their supply and gap.",
        f"{ROULETTE_VOIDS}: seven circuits were not measured",
    ),
    Reason(
        108, "ball_stuck", "void", 2,
        "The ball stayed in the track slower than a ball can.",
        "Take the ball out, clean ball and track, check the level; spin again.",
        f"{ROULETTE_VOIDS}: the ball does not fall into one of the number pockets",
    ),
    Reason(
        109, "launch_failed", "void", 1,
        "The ball was lost from the rim within its first two circuits.",
        "Spin again.",
        f"{ROULETTE_VOIDS}: the ball will not make seven circuits",
    ),
    Reason(
        110, "slow_launch", "void", 1,
        "The first lap took longer than allowed.",
        "Spin again, harder. Bets are closed already.",
        f"{ROULETTE_VOIDS}: the ball will not make seven circuits",
    ),
    Reason(
        111, "foreign_magnet", "void", 3,
        "A pocket sensor reported a ball while the ball ran on the rim.",
        "Look for a magnet or a second ball in the pockets; check the ball with a compass; "
        "call the supervisor.",
        f"{ROULETTE_VOIDS}: any other object lands in the wheel",
    ),
)  # fmt: skip

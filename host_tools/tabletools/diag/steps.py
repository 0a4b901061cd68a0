"""What the technician does while a table watches its sensors, by role."""

_CONTACTS = "Touch neither button nor rim."
# Role: what to do, and how long it takes.
STEPS = {
    "roulette": (
        "Turn the rotor at its usual speed, roll the ball at least four times round the rim and "
        f"let it drop. {_CONTACTS}",
        30_000,
    ),
    "money_wheel": ("Turn the wheel slowly by hand for two whole turns.", 30_000),
    "dice_tray": (
        "Take the dice from their place, let one cross the throw line, tap each of the three "
        "plates of the far wall, put a hand through the edge beams, put the dice back.",
        30_000,
    ),
    "shuffler": ("Have the machine shuffle one deck; keep its lid closed.", 60_000),
    "draw_machine": (
        "Run the blower, let two balls out into the tube, put both back through the return.",
        60_000,
    ),
    "card_shoe": ("Pull two cards from the closed shoe.", 30_000),
}

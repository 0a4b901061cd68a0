"""What an alarm of each kind means, and what to do about it: for users who read its page."""

from collections.abc import Mapping

from tabletools.evidence import alarms
from tabletools.evidence.maintenance import WALK_COMMAND

REMEDIES: Mapping[str, tuple[str, str]] = {
    alarms.CONFLICT: (
        "two records of one round contradict each other",
        "keep the table out of play; compare the records of the round with the wheel's own sign; "
        "two named users rule on the round, then release the device",
    ),
    alarms.UNEXPECTED: (
        "a record arrived that cannot follow the one before it",
        "look at the records of the round; call the technician if it happens again",
    ),
    alarms.HOST_CAMERA: (
        "the host's own camera over a dice tray does not show the tray as it was calibrated",
        "do what the text of the alarm says: clear the view, plug the camera in, put it back, or "
        "calibrate again (tabletool dice calibrate); bets open again with the next round",
    ),
    alarms.LINK_LOST: (
        "the table fell silent; its bets were closed",
        "check cable and power of the table; bets open again with the next round",
    ),
    alarms.FAULT: (
        "the table detected a fault and reports its code",
        "examine the table; the page of its code says what to do",
    ),
    alarms.TAMPER: (
        "a frame was refused: forged, replayed, stripped of its tag or damaged",
        "check line and device for anything that does not belong there, then release the device "
        "with a reason",
    ),
    alarms.BOOT_FELL: (
        "a device reported an older boot number than before",
        "make sure that the device was not exchanged, then release it with a reason",
    ),
    alarms.PROGRAM: (
        "the device does not run the signed release",
        "install the signed release and have it attested again",
    ),
    alarms.UNENDED: (
        "a round was left without an end, or with one that does not settle its bets",
        "look at the table; two named users rule on the outcome of the round",
    ),
    alarms.UNSETTLED: (
        "a round has ended and its bets could not be settled",
        "two named users rule on the outcome of the round",
    ),
    alarms.VOID_HELD: (
        "a round with stakes became void after no more bets; the alarm names cause and stakes",
        "find out what happened at the table; two named users rule: the round is void, or its "
        "result with the evidence for it",
    ),
    alarms.CLOCK_STEP: (
        "the clock of a host was set, or the host slept; bets were closed, later bets are marked",
        "compare the clock with a reliable one, then acknowledge: bets are no longer marked",
    ),
    alarms.DEVICE_CLOCK: (
        "the clock of a table stepped or drifts by more than 500 ppm; its bets were closed",
        "look at the table: if it happens again, or the alarm counts repeats, replace its "
        "controller, then acknowledge; bets open again with the next round",
    ),
    alarms.LINK_STALE: (
        "nothing proved that the state of the table is less than 1 s old: its bets closed",
        "check the line between host and table for delays, losses and devices that do not "
        "belong there; bets open again with the next round",
    ),
    alarms.NOT_UNDERSTOOD: (
        "a record of the table is authentic and this host cannot read it; its bets stay closed",
        "update this host, which then reads it; or find out what happened at the table and "
        "release the device with a reason",
    ),
    alarms.CONFIGURATION: (
        "the configuration of the controller does not fit the terms of its table, or it cannot "
        "be read; no bets open",
        "correct the value that the alarm names with `tabletool config set`, or the terms of the "
        "table in the host's file; bets open with the next round",
    ),
    alarms.NO_WALK: (
        "no passed walk round the wheel proves that it is mounted and configured correctly; "
        "no bets open",
        f"have a technician walk round it: {WALK_COMMAND}; bets open with the next round",
    ),
    alarms.BELOW_ZERO: (
        "a ruling took back more than a player still had; the balance is below zero",
        "collect the amount from the player and deposit it, or have the manager decide",
    ),
    alarms.PICTURE: (
        "the host's reading of the picture of a throw differs from the table's, or failed",
        "look at the picture of the round and at the recordings; two named users rule what "
        "the round came to; if it repeats, look at light, lens and dice",
    ),
    alarms.RIGHTS: (
        "the administrator of the host gave rights alone: to a user on the command line, or to "
        "one person to undo rounds, by the terms of a table; or closed a movement at the "
        "external wallet alone; the text says which",
        "ask the administrator who did it and why; disable the user, or take the codes out of "
        "automatic_voids of the table in the host's file, if nobody should; compare the movement "
        "with the wallet's books",
    ),
    alarms.RESTORED: (
        "the ledger was restored from a backup; what was played and paid after it is missing",
        "compare it with the management system, the cash desk and the tables, and rule on what "
        "is open",
    ),
    alarms.PIN_GUESSED: (
        "so many wrong PINs were tried in a day that no more are checked: of an account, or at "
        "seats that one user offers; the text says which",
        "ask who sat there and look at the recordings; the player can set another PIN at the "
        "cash desk, with a second user",
    ),
    alarms.CALL: (
        "a user at a table calls a supervisor; the text says why",
        "go to the table, then acknowledge the alarm with what was done",
    ),
    alarms.PACE: (
        "a table plays fewer rounds an hour than a rule of the house asks for",
        "look what delays it: the dealer, disputes, or a machine that voids rounds",
    ),
    alarms.UNDONE: (
        "more rounds of a table became void or were corrected than a rule of the house allows",
        "read why in its list of rounds; if one dealer or one player repeats, look at the "
        "recordings; if one reason code repeats, call the technician",
    ),
    alarms.HOLD: (
        "what the bank of a table won of the stakes is outside the band of a rule of the house",
        "compare with the theoretical hold and the fairness of the table; with few rounds it is "
        "mostly chance",
    ),
    alarms.LONG_OPEN: (
        "the bets of a table are open for longer than a rule of the house allows",
        "ask the dealer; close the bets or void the round if it cannot be played",
    ),
    alarms.WALLET_DOWN: (
        "the external wallet does not answer as it should; no bets of its players are accepted",
        "look at the wallet and the line to it; what it has to pay or be paid is kept, and sent "
        "as soon as it answers",
    ),
    alarms.WALLET_REFUSED: (
        "the external wallet refused money that was won, or has to be paid back, or does not "
        "answer about it; it is kept",
        "see `tabletool wallet open`; settle it with the wallet's operator, then have it sent "
        "again (`wallet retry`) or note that it was moved by hand (`wallet close`)",
    ),
    alarms.METER_MOVED: (
        "a round was corrected whose jackpot meter later rounds have moved; the meter stays as "
        "the players saw it, and the house bears the difference",
        "check that later winnings are right; correct those rounds too if they are not",
    ),
    alarms.LATE_BET: (
        "a bet came after no more bets, and by the rules in force a ruling is needed",
        "two named users rule on it under Late bets",
    ),
    alarms.LATE_WITHDRAWAL: (
        "a player took back or changed a bet, and nothing proves that it was before no more bets; "
        "the stake was returned",
        "look at the recording and at the result; if it was too late, charge the player by the "
        "house rules, and look at what delays the line of the table",
    ),
}
"""Cause and remedy, by kind."""

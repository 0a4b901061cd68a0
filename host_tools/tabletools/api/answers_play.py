"""Answers about tables, rounds, bets, alarms. Times are RFC 3339."""

from tabletools.api.answers import Answer, Json, Maybe, Number, Time
from tabletools.api.paragraph_texts import Paragraph


class Whereabouts(Answer):
    """Where a table is. host: that owns it, by its host_name; null: none owns it now. address: of
    that host, null where `hosts` does not name it. is_here: whether it is the one that answers."""

    table: int
    name: str
    site: str
    pit: str
    host: Maybe
    address: Maybe
    is_here: bool
    owned_until_at: Time | None


class Ruling(Answer):
    """Two users who ruled, when and why. evidence: null before release 1.1, where only the audit
    log has it. follows: the corrected round whose stakes played on in this one, null for a ruling
    on this one itself.
    """

    users: list[str]
    at: Time
    reason: str
    evidence: Maybe
    follows: Number


class Result(Answer):
    """The outcome in force of a round. round: its id; number: as the table counts.

    superseded: the outcome that the table reported, where two users replaced it.
    """

    round: int
    number: int
    outcome: Json
    is_void: bool
    superseded: Json | None
    ruling: Ruling | None
    at: Time


class Live(Answer):
    """The live state of a table that this host owns; unknown is null.

    link: closed, waiting, online, offline, stale (frames too old for bets), taken (by another
    host), stranger (another device answers). progress: circuits, revolutions, hits, balls or cards
    of the round, by the role. machine_drpm: tenths of a turn a minute. wheel, circuits,
    rotor_direction, rotor_drpm: of roulette, the same as layout, progress, machine_direction,
    machine_drpm; null for other roles. faults: active faults raised while this host listened.
    fault_count: all active ones, by the table's count. layout: of the round. dealt: cards or balls
    of the round so far. machine: the newest report of the machine, such as shuffle, shoe, throw.
    bets, stake_cents: in play now. alarms: not acknowledged; newest_alarm: number of the newest.
    meters, play_end: as of its table.
    """

    table: int
    name: str
    device: int
    game: str
    rules: str
    variant: Maybe
    held: bool
    link: str
    trouble: Maybe
    refused: Json | None
    phase: Maybe
    number: Number
    round: Number
    progress: Number
    machine_direction: Maybe
    machine_drpm: Number
    circuits: Number
    rotor_direction: Maybe
    rotor_drpm: Number
    closed_by: Maybe
    unacknowledged: Number
    edges_lost: Number
    faults: list[Json]
    fault_count: Number
    seal: Maybe
    boot: Number
    firmware: Maybe
    board: Maybe
    role: Maybe
    layout: Maybe
    wheel: Maybe
    dealt: list[str]
    machine: Json
    bets_open: bool
    cause: str
    since_at: Time
    stopped: Maybe
    play_end: Maybe
    play_end_at: Time | None
    alarms: int
    newest_alarm: Number
    bets: int
    stake_cents: int
    meters: dict[str, int]
    results: list[Result]


class Obeyed(Answer):
    """The table's answer to an order. answer: type of its record; number: of its round."""

    order: str
    number: int
    answer: str
    text: str


class Table(Answer):
    """A casino table. live: null when another host owns it, or none. cause: of bets_open.
    play_end: the end that was announced: the last shoe, round or minutes, over at play_end_at.

    meters: of a jackpot, what can be won now, cents by name. has_host_camera: whether a camera of
    this host is above its tray.
    """

    id: int
    name: str
    device: Number
    currency: str
    enabled: bool
    holder: Maybe
    expires_at: Maybe
    round_id: Number
    bets_open: bool
    cause: str
    since_at: Time
    stopped: Maybe
    play_end: Maybe
    play_end_at: Time | None
    game: str
    rules: str
    variant: Maybe
    limits: Json
    options: Json
    void_policy: str
    meters: dict[str, int]
    has_host_camera: bool
    live: Live | None


class Thrower(Answer):
    """Who throws the dice. place: at the table, clockwise; player: null where none was named."""

    place: int
    account: Number
    player_number: Maybe


class TurnToThrow(Answer):
    """Whose turn it is to throw. thrower: null: nobody was named."""

    thrower: Thrower | None


class Tables(Answer):
    """Every table."""

    tables: list[Table]


class Device(Answer):
    """A controller. attestation: the last one: match, mismatch, rollback (to an older release),
    no_answer; not_attested: none was requested, for no release is configured for its table."""

    device: int
    role: Maybe
    board: Maybe
    firmware: Maybe
    attestation: str
    attested_at: Maybe
    first_at: Time
    heard_at: Time


class Devices(Answer):
    """Every known controller."""

    devices: list[Device]


class Round(Answer):
    """A round. number: as its table counts; settled: the generation in force, 0: none.

    end, ending: the record that ended it. outcome and the sums are those in force; superseded: the
    outcome that the table reported, where two users replaced it. ruling: theirs.
    """

    id: int
    table_id: Number
    device: int
    number: int
    verdict: str
    settled: int
    opened_at: Maybe
    closed_at: Maybe
    ended_at: Maybe
    end: Maybe
    ending: Json | None
    outcome: Json | None
    is_void: bool | None
    superseded: Json | None
    ruling: Ruling | None
    bet_count: Number
    stake_cents: Number
    win_cents: Number
    back_cents: Number
    live_cents: Number
    lost_cents: Number


class Rounds(Answer):
    """Rounds, newest first."""

    rounds: list[Round]


class Record(Answer):
    """A record as the table sent it. counts: whether it may change anything; raw: hex.

    text: the record as text.
    """

    frame: int
    type: str
    boot: int
    counter: int
    uptime_ms: int
    received_at: Time
    made_at: Maybe
    seal: str
    counts: bool
    payload: Json
    raw: str
    text: str


class Bet(Answer):
    """A bet. standing: valid or referred; taken_back: why it was withdrawn; outcome: settled as.
    clock_alarm: of an unacknowledged step of the host's clock: placed_at may be wrong.
    rule: the paragraph that decided; paragraphs: all of them, in order; odds: as printed."""

    id: int
    table_id: int
    round_id: int
    account_id: int
    player: str
    slip: Json
    stake_cents: int
    standing: str
    placed_at: Time
    after_open_ms: Number
    terminal: Maybe
    replaces: Number
    carried_from: Number
    clock_alarm: Number
    taken_back: Maybe
    ruled_valid: bool | None
    outcome: Maybe
    win_cents: Number
    back_cents: Number
    live_cents: Number
    lost_cents: Number
    rule: Maybe
    paragraphs: list[str] | None
    odds: Maybe
    sentence: Maybe


class Bets(Answer):
    """Bets of a round."""

    bets: list[Bet]


class Settlement(Answer):
    """A round settled, by the table's result or by two users.

    first, second: their names. follows: see Ruling.
    """

    round_id: int
    generation: int
    posting_id: int
    reversal_id: Number
    outcome: Json
    is_void: bool
    at: Time
    bets: int
    stake_cents: int
    win_cents: int
    back_cents: int
    live_cents: int
    lost_cents: int
    first_user: Number
    second_user: Number
    first: Maybe
    second: Maybe
    reason: Maybe
    evidence: Maybe
    follows: Number


class SecondReading(Answer):
    """What the host read in the picture of a throw. reason: why it does not count, else null.

    release: of the reader. referred: it knew the empty tray. has_second_picture: by the
    host's own cameras, `/rounds/{number}/second-picture.png`.
    """

    dice: list[int]
    reason: Maybe
    referred: bool
    has_second_picture: bool
    release: str
    at: Time


class RoundWhole(Round):
    """A round with its records; bets, settlements: null without the right to see them.

    game, rules, variant: those of the round. second_reading: null where the table read alone, or
    the host has not read yet. paragraphs: what decided the bets.
    """

    game: Maybe
    rules: Maybe
    variant: Maybe
    thrower: Thrower | None
    second_reading: SecondReading | None
    records: list[Record]
    bets: list[Bet] | None
    settlements: list[Settlement] | None
    paragraphs: list[Paragraph]


class Alarm(Answer):
    """A condition that an operator must look at. raw: of a frame that was refused, hex.

    state: unacknowledged (and its cause is active), acknowledged (and active), returned (its cause
    is over, and no user acknowledged it), shelved, normal. priority: 1 (urgent) to 4; null: of a
    release before 1.1. first_up: the first alarm of the same cause. cleared_by: null where the
    ledger learned that the cause is over. normal_at: when nothing was left of it.
    """

    state: str
    priority: Number
    first_up: Number
    cleared_at: Maybe
    cleared_by: Number
    cleared_name: Maybe
    normal_at: Maybe
    shelved_until_at: Maybe
    shelved_by: Number
    shelved_name: Maybe
    shelved_why: Maybe

    id: int
    at: Time
    device: Number
    table_id: Number
    round_id: Number
    kind: str
    code: Number
    text: str
    raw: Maybe
    repeats: int
    acknowledged_at: Maybe
    acknowledged_by: Number
    acknowledged_name: Maybe
    note: Maybe


class Alarms(Answer):
    """Alarms, newest first."""

    alarms: list[Alarm]


class Measure(Answer):
    """What a rule can be about. kind: of its alarm; low, high: least and most value of a limit."""

    name: str
    kind: str
    text: str
    unit: str
    low: int
    high: int


class AlarmRule(Answer):
    """A rule. table_id: null: every table. hours: over which it is measured, with least_games
    rounds or more."""

    id: int
    measure: str
    table_id: Number
    table_name: Maybe
    low: Number
    high: Number
    hours: int
    least_games: int
    at: Time
    user_id: int
    user_name: str
    ended_at: Maybe
    ended_by: Number


class Rules(Answer):
    """The rules in force."""

    rules: list[AlarmRule]
    measures: list[Measure]


class NewRule(Answer):
    """The number of a rule that was added."""

    rule: int

"""Random shoes, bets, losses and repeats: each round is paid once, as other arithmetic has it."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host_tools.tests import machines
from host_tools.tests.test_ledger_cards import PUNTO, Table
from tabletools.table.verify import check

CARDS = st.sampled_from(sorted(set(machines.NUMBERS) - {"??"}))

BETS = ("punto", "banco", "egalite", "punto_pair", "banco_pair")


def points(cards):
    return sum({"A": 1}.get(c[0], int(c[0]) if c[0] in "23456789" else 0) for c in cards) % 10


def dealt(deck):
    """The cards a dealer takes off a deck (rulebook 9.9), and both hands."""
    punto, banco = [deck[0], deck[2]], [deck[1], deck[3]]
    rest = list(deck[4:])
    if max(points(punto), points(banco)) < 8:
        third = None
        if points(punto) <= 5:
            third = rest.pop(0)
            punto.append(third)
        bank, low = points(banco), -1 if third is None else points([third])
        draws = (
            bank <= 5
            if third is None
            else (
                bank <= 2
                or (bank == 3 and low != 8)
                or (bank == 4 and 2 <= low <= 7)
                or (bank == 5 and 4 <= low <= 7)
                or (bank == 6 and 6 <= low <= 7)
            )
        )
        if draws:
            banco.append(rest.pop(0))
    return deck[: len(punto) + len(banco)], punto, banco


def net(bet, stake, punto, banco):
    """What a bet brings or takes, by the words of hc2023 3:3."""
    mine, bank = points(punto), points(banco)
    if bet == "egalite":
        return 8 * stake if mine == bank else -stake
    if bet.endswith("_pair"):
        first, second = (punto if bet == "punto_pair" else banco)[:2]
        return 11 * stake if first[0] == second[0] else -stake
    if mine == bank:
        return 0
    if (mine > bank) != (bet == "punto"):
        return -stake
    return stake // 2 if bet == "banco" and bank == 5 else stake


ROUNDS = st.tuples(
    st.lists(CARDS, min_size=6, max_size=6),
    st.lists(st.tuples(st.booleans(), st.sampled_from(BETS), st.integers(1, 4)), max_size=4),
    st.sets(st.integers(0, 5)),
    st.booleans(),
)


@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(ROUNDS, min_size=1, max_size=4))
def test_every_round_is_paid_once_by_its_cards(tmp_path_factory, rounds):
    """Cards that come late, in any order and twice, change nothing of it."""
    pit = Table(str(tmp_path_factory.mktemp("pit") / "ledger"), terms=PUNTO)
    wanted = [0, 0]
    for number, (deck, bets, lost, again) in enumerate(rounds, 1):
        cards, punto, banco = dealt(deck)
        pit.open(number)
        for is_ben, bet, units in bets:
            pit.place(pit.ben if is_ben else pit.ada, bet, 500 * units)
            wanted[is_ben] += net(bet, 500 * units, punto, banco)
        pit.close(number)
        late = pit.deal(cards, number, lost=lost)
        end = pit.frame(*machines.ended(cards), number)
        for wire in [end, *reversed(late)] * (1 + again):
            pit.receive(wire)
    assert list(pit.money()) == wanted
    assert len(pit.generations()) == len(rounds)
    with pit.ledger.read() as db:
        assert check(db).problems == []
    pit.ledger.close()


def test_the_other_arithmetic_knows_the_table_of_the_rulebook():
    """Six and seven: the bank stands on 6 to a 5 and draws to a 6; stands on 3 to an 8."""
    assert dealt("KH 6C 5D KD 5S 2H".split())[1:] == (["KH", "5D", "5S"], ["6C", "KD"])
    assert dealt("KH 6C AD KD 6S 2H".split())[2] == ["6C", "KD", "2H"]
    assert dealt("KH 3C AD KD 8S 2H".split())[2] == ["3C", "KD"]

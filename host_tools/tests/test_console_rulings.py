"""Rulings in a browser: what waits and why, evidence, preview, two users, hands by hand."""

import re

import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import console, go, rested
from host_tools.tests.served import PASSWORD, Floor

# The fields of a round's result, filled in their order, of which each may add others; returns
# what is read, and the labels before.
ENTERED = """async ([round, values]) => {
  const { resultOf } = await import("./outcomes.js");
  const { h, put } = await import("./dom.js");
  const made = resultOf({ bets: [], ...round }, "EUR");
  const box = h("div");
  put(box, ...made.elements);
  if (box.textContent.includes("undefined")) throw new Error(box.textContent);
  const inputs = () => [...box.querySelectorAll("input, select, textarea")];
  const labels = inputs().map((one) => one.labels[0]?.textContent
    ?? box.querySelector(`label[for=${one.id}]`).textContent);
  const found = () => { try { return made.read(); } catch (error) { return error.message; } };
  const before = inputs().map((one) => one.value);
  values.forEach((value, place) => {
    const input = inputs()[place];
    input.value = value;
    input.dispatchEvent(new Event("change"));
  });
  return [labels, found(), before];
}"""


# A table of so many rows: how many are shown, the button, how many after it was pressed.
LISTED = """async (many) => {
  const { grid } = await import("./parts.js");
  const made = grid("Bets", [["Bet", String]], Array.from({ length: many }, (_, n) => n), "none");
  const rows = () => made.querySelectorAll("tbody tr").length;
  const [before, button] = [rows(), made.querySelector("button")];
  button?.click();
  return [before, button?.textContent ?? null, rows(), made.querySelector("button")];
}"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A table with two players, whose line goes silent when a test orders it."""
    entered = Floor(str(tmp_path_factory.mktemp("rulings") / "ledger"))
    entered.sue = entered.host.login("Sue")
    entered.ada, entered.ben = (
        entered.host.terminal(entered.sue, entered.table, name) for name in ("ada", "ben")
    )
    yield entered
    entered.close()


@pytest.fixture(scope="module")
def dealer(chromium, floor):
    """The page of Dan, who may rule together with a supervisor."""
    with console(chromium, floor.host.url, name="Dan") as entered:
        yield entered


@pytest.fixture
def page(dealer):
    return rested(dealer)


def place_bet(terminal, key, bet, cents, **more):
    """The number of a bet that was taken."""
    slip = {"bet": bet, "stake_cents": cents, **more}
    answer = terminal.post("/v1/bets", json=slip, headers={"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text
    return answer.json()["bet"]


def second(dialogue, name, password=PASSWORD):
    dialogue.get_by_label("Second user: name").fill(name)
    dialogue.get_by_label("Second user: password").fill(password)


def money(terminal):
    return terminal.get("/v1/seat").json()["balance_cents"]


def test_a_late_bet_is_ruled_on_where_what_waits_is_shown(page, floor):
    """A croupier may rule on it (hc2023 1:1(4)): Dan sees it and, with Sue, rules it counts."""
    floor.open()
    floor.shut()
    late = place_bet(floor.ada, "late", "straight", 500, numbers=["17"])
    go(page, "#/rulings", "Rulings")
    waits = page.get_by_role("region", name="Stakes waiting for a ruling")
    expect(waits).to_contain_text("Late")
    page.get_by_role("button", name=f"Bet {late} does not count").click()
    dialogue = page.get_by_role("dialog")
    dialogue.get_by_label("Reason").fill("The ball lay in the pocket")
    second(dialogue, "Sue")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No stake is waiting")).to_be_visible()
    assert money(floor.ada) == 100_000
    floor.fall(17)


def test_what_changes_takes_the_preview_away(page, floor):
    """A settled round is corrected: a changed number is previewed again before the second user."""
    cleo = floor.host.terminal(floor.sue, floor.table, "cleo")
    number = floor.open()
    place_bet(cleo, "c", "black", 2000)
    floor.shut()
    floor.fall(17)
    go(page, f"#/rulings/{number}", f"Ruling: round {number} of R1")
    expect(page.get_by_role("region", name="Correct the round")).to_be_visible()
    page.get_by_label("Number").fill("18")
    page.get_by_label("Reason").fill("The camera shows 18")
    page.get_by_label("Evidence").fill("camera 4")
    asked = page.get_by_role("button", name="Ask the second user")
    page.get_by_role("button", name="Preview the ruling").click()
    expect(asked).to_be_visible()
    expect(page.get_by_role("region", name="Who gets what")).to_contain_text("Lose")
    page.get_by_label("Number").fill("36")
    expect(asked).to_have_count(0)
    page.get_by_label("Outcome of the round").select_option("stakes_back")
    page.get_by_label("Evidence").fill("camera 4")
    page.get_by_role("button", name="Preview the ruling").click()
    expect(page.get_by_role("region", name="Who gets what")).to_contain_text("€20.00")
    page.get_by_label("Outcome of the round").select_option("record")
    page.get_by_label("Outcome as JSON").fill('{"pocket": 17}')
    page.get_by_label("Evidence").fill("camera 4")
    page.get_by_role("button", name="Preview the ruling").click()
    expect(page.get_by_role("alert")).to_contain_text("pocket")


def test_a_chain_is_previewed_and_shown_as_corrected(page, floor):
    """10.00 on red, imprisoned at zero, lost at black; it was red 1: round and list say so."""
    dora = floor.host.terminal(floor.sue, floor.table, "dora")
    numbers = []
    for pocket in (0, 2):
        numbers.append(floor.open())
        if pocket == 0:
            place_bet(dora, "d", "red", 1000, choice="prison")
        floor.shut()
        floor.fall(pocket)
    first, second_round = numbers
    go(page, f"#/rulings/{first}", f"Ruling: round {first} of R1")
    page.get_by_label("Number").fill("1")
    page.get_by_label("Reason").fill("The camera shows 1")
    page.get_by_label("Evidence").fill("camera 4, 21:07")
    page.get_by_role("button", name="Preview the ruling").click()
    later = page.get_by_role("region", name="Rounds settled again")
    expect(later).to_contain_text(f"Round {second_round}: 2 black, settlement 2")
    expect(later).to_contain_text("No bet is left in this round.")
    page.get_by_role("button", name="Ask the second user").click()
    second(page.get_by_role("dialog"), "Sue")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Rulings", level=1).wait_for()
    assert money(dora) == 101_000
    go(page, f"#/round/{first}", f"Round {first} of R1")
    for words in ("says 0 green: superseded", "Dan and Sue ruled 1 red", "camera 4, 21:07"):
        expect(page.get_by_role("note")).to_contain_text(words)
    go(page, f"#/round/{second_round}", f"Round {second_round} of R1")
    expect(page.get_by_role("main")).to_contain_text("the correction of a round")
    go(page, "#/rounds", "Rounds")
    row = page.get_by_role("row").filter(has_text="superseded: 0 green")
    expect(row).to_contain_text("1 red")
    expect(row).to_contain_text("Corrected")


def expect_preview(page):
    """17 in black, before it is paid: who gets what, and every balance before and after."""
    does = page.get_by_role("region", name="Who gets what")
    for words in (
        ("ada", "Straight 17", "Win", "€180.00"),
        ("ben", "Black", "Win", "€40.00"),
    ):
        row = does.get_by_role("row").filter(has_text=words[0])
        for word in words:
            expect(row).to_contain_text(word)
    balances = page.get_by_role("region", name="New balances")
    for name, before, after in (("ada", "995", "175"), ("ben", "980", "020")):
        row = balances.get_by_role("row").filter(has_text=name)
        expect(row).to_contain_text(re.compile(rf"{before}\.00.*1,{after}\.00"))


def test_a_round_without_a_result_is_ruled_on_by_two(page, floor):
    """5.00 on 17 and 20.00 on black; 17 was seen: 180.00 and 40.00 are paid by 35:1 and 1:1.

    Declined, nothing happens and both names are in the log; confirmed, it is paid.
    """
    number = floor.open()
    place_bet(floor.ada, "a", "straight", 500, numbers=["17"])
    place_bet(floor.ben, "b", "black", 2000)
    floor.shut()
    go(page, "#/rulings", "Rulings")
    expect(page.get_by_role("region", name="Stakes in play")).to_contain_text("Running")
    floor.port.__exit__()  # the table goes offline
    waits = page.get_by_role("region", name="Stakes waiting for a ruling")
    expect(waits).to_contain_text("The table is offline")
    expect(waits).to_contain_text("Alarm: ")
    expect(waits).to_contain_text("€25.00")
    waits.get_by_role("link").click()
    page.get_by_role("heading", name=f"Ruling: round {number} of R1").wait_for()
    expect(page.get_by_role("region", name="Records")).to_contain_text("Bets closed")
    page.get_by_label("Number").fill("17")
    page.get_by_label("Reason").fill("The table burnt out")
    page.get_by_label("Evidence").fill("Dan saw it; camera 4, 21:07")
    page.keyboard.press("Enter")
    expect_preview(page)
    assert (money(floor.ada), money(floor.ben)) == (99_500, 98_000)
    page.get_by_role("button", name="Ask the second user").click()
    dialogue = page.get_by_role("dialog")
    second(dialogue, "Amy")
    dialogue.get_by_role("button", name="Confirm").click()
    expect(dialogue.get_by_role("alert")).to_contain_text("(auditor) may not decide this")
    second(dialogue, "Sue")
    dialogue.get_by_role("button", name="Decline").click()
    expect(page.get_by_role("status")).to_have_text("Declined by Sue: nothing was settled")
    assert (money(floor.ada), money(floor.ben)) == (99_500, 98_000)
    page.get_by_role("button", name="Ask the second user").click()
    second(dialogue, "Sue")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No stake is waiting")).to_be_visible()
    assert (money(floor.ada), money(floor.ben)) == (117_500, 102_000)
    rows = floor.sue.get("/v1/audit?most=20").json()["rows"]
    entries = [(row["action"], row["who"]) for row in rows if row["subject"] == f"round {number}"]
    assert entries == [
        ("round_ruled", "Sue"),
        ("round_ruled", "Dan"),
        ("ruling_declined", "Sue"),
        ("ruling_declined", "Dan"),
    ]


@pytest.mark.parametrize(
    ("game", "labels", "values", "outcome"),
    [
        ("roulette", ["Number"], ["00"], {"pocket": "00"}),
        ("big_wheel", ["Pays", "Mark of the segment"], ["20", ""], {"pays": 20}),
        (
            "money_wheel",
            ["Pays", "Mark of the segment"],
            ["45", "joker"],
            {"pays": 45, "mark": "joker"},
        ),
        ("sic_bo", ["Die 1", "Die 2", "Die 3"], ["2", "5", "6"], {"dice": [2, 5, 6]}),
        ("barbut", ["Die 1", "Die 2"], ["3", "3"], {"dice": [3, 3]}),
        (
            "punto_banco",
            ["Punto", "Banco", "Burned"],
            ["8c 10S", "as, 9D", ""],
            {"punto": "8C TS", "banco": "AS 9D"},
        ),
        (
            "baccarat",
            ["Player", "Banker", "Burned"],
            ["8c 10S", "as, 9D", "kh 10d"],
            {"player": "8C TS", "banker": "AS 9D", "burned": "KH TD"},
        ),
        (
            "red_dog",
            ["Cards", "Burned"],
            ["4H 9X"],
            "9X is not a card: a rank 2 to 10, J, Q, K, A, then C, D, H or S",
        ),
        ("bingo", ["Balls drawn"], ["71 4, 12"], {"drawn": [71, 4, 12]}),
        (
            "keno",
            ["Balls drawn"],
            ["71 four"],
            "four is not a ball: give the numbers with spaces between",
        ),
    ],
)
def test_each_game_is_asked_for_in_its_own_words(page, game, labels, values, outcome):
    """The form accepts what `settle` reads; anything else is refused."""
    assert page.evaluate(ENTERED, [{"game": game}, values])[:2] == [labels, outcome]


def bet(number, account, name, cents, **more):
    """A bet as a round's document has it."""
    return {
        "id": number,
        "account_id": account,
        "player": f"p{account}",
        "slip": {"bet": name},
        "stake_cents": cents,
        "taken_back": None,
        "standing": "valid",
        "ruled_valid": None,
        "terminal": "seat",
        "carried_from": None,
        **more,
    }


def test_a_contradiction_is_shown_with_both_places(page):
    """The message names the first place of the card, a line below the second; boxes by number."""
    text = page.evaluate(
        """async ([round, fields]) => {
      const { resultOf } = await import("./outcomes.js");
      const { failure } = await import("./parts.js");
      const { Problem } = await import("./api.js");
      const { h, put } = await import("./dom.js");
      const form = h("div");
      put(form, ...resultOf(round).elements);
      const legends = [...form.querySelectorAll("legend")].map((one) => one.textContent);
      return [legends, [...failure(new Problem(422, fields)).children].map((p) => p.textContent)];
    }""",
        [
            {"game": "three_card", "bets": [bet(41, 7, "ante", 500), bet(42, 8, "ante", 500)]},
            {
                "detail": "AH appears twice, first in outcome.boxes.1.cards",
                "where": "outcome.boxes.2.cards",
            },
        ],
    )
    assert text == [
        ["Box 1: p7", "Box 2: p8"],
        ["AH appears twice, first in outcome.boxes.1.cards", "Where: outcome.boxes.2.cards"],
    ]


def test_hands_are_given_player_by_player(page):
    """One folds, one placed 5.00 more after the deal; what was taken back is on no hand."""
    bets = [
        bet(41, 7, "ante", 500),
        bet(42, 8, "ante", 500),
        bet(43, 8, "pair_plus", 250),
        bet(44, 9, "ante", 500, taken_back="withdrawn"),
        bet(45, 9, "ante", 500, standing="referred", ruled_valid=False),
    ]
    values = [
        "QS 9D 4C",
        "",
        "2",
        "1",
        "2",
        "2",
        "7H 5D 2C",
        "fold",
        "",
        "",
        "AH AD 2S",
        "play",
        "bet",
        "5.00",
    ]
    labels, entered, before = page.evaluate(
        ENTERED, [{"game": "three_card", "bets": bets}, values]
    )
    assert labels[:6] == [
        "Bank",
        "Burned",
        "Boxes dealt to",
        "Box of bet 41, p7: Ante €5.00",
        "Box of bet 42, p8: Ante €5.00",
        "Box of bet 43, p8: Pair plus €2.50",
    ]
    assert before[2:6] == ["2", "1", "2", "2"]
    assert entered == {
        "bank": "QS 9D 4C",
        "boxes": {
            "1": {"cards": "7H 5D 2C", "bets": ["41"], "decisions": {"7": "fold"}},
            "2": {
                "cards": "AH AD 2S",
                "bets": ["42", "43"],
                "decisions": {"8": "play"},
                "later": [{"player": "8", "bet": "bet", "stake": 500}],
            },
        },
    }


def test_the_second_user_is_shown_every_hand(page):
    """Bank, burned cards and each box, one that was split with both of its hands."""
    boxes = {"1": {"cards": ["8H 3S", "8D 9C"], "bets": ["41"]}, "4": {"cards": "TH 5C"}, "5": {}}
    outcome = {"bank": "KD 8S", "burned": "2S", "decks": 6, "boxes": boxes}
    text = page.evaluate(
        """async (outcome) => {
      const { outcomeLong } = await import("./words.js");
      return outcomeLong(outcome);
    }""",
        outcome,
    )
    assert text == ("Bank K♦ 8♠, Burned 2♠, Box 1 8♥ 3♠, Box 1 8♦ 9♣, Box 4 10♥ 5♣")


def test_two_players_on_one_box(page):
    """ada goes to war on the hand that ben surrenders on; box 2 has cards and no bet."""
    bets = [bet(41, 7, "bet", 1000), bet(42, 8, "bet", 500)]
    values = ["9D", "KS 2H", "2", "1", "1", "9C", "war", "war", "10.00", "surrender", "", "", "3C"]
    entered = page.evaluate(ENTERED, [{"game": "casino_war", "bets": bets}, values])[1]
    assert entered == {
        "bank": "9D",
        "burned": "KS 2H",
        "boxes": {
            "1": {
                "cards": "9C",
                "bets": ["41", "42"],
                "decisions": {"7": "war", "8": "surrender"},
                "later": [{"player": "7", "bet": "war", "stake": 1000}],
            },
            "2": {"cards": "3C"},
        },
    }


def test_one_player_on_two_boxes(page):
    """Each of the player's bets is on a separate box, with its own decisions."""
    bets = [bet(41, 7, "ante", 500), bet(42, 7, "ante", 800)]
    values = [
        "QS 9D 4C",
        "",
        "2",
        "1",
        "2",
        "7H 5D 2C",
        "fold",
        "",
        "",
        "AH AD 2S",
        "play",
        "bet",
        "8.00",
    ]
    _, entered, before = page.evaluate(ENTERED, [{"game": "three_card", "bets": bets}, values])
    assert before[2:5] == ["1", "1", "1"]
    assert entered == {
        "bank": "QS 9D 4C",
        "boxes": {
            "1": {"cards": "7H 5D 2C", "bets": ["41"], "decisions": {"7": "fold"}},
            "2": {
                "cards": "AH AD 2S",
                "bets": ["42"],
                "decisions": {"7": "play"},
                "later": [{"player": "7", "bet": "bet", "stake": 800}],
            },
        },
    }


def test_a_bet_on_a_box_that_was_not_dealt_to(page):
    bets = [bet(41, 7, "ante", 500)]
    values = ["QS 9D 4C", "", "1", "2", "7H 5D 2C"]
    entered = page.evaluate(ENTERED, [{"game": "three_card", "bets": bets}, values])[1]
    assert entered == "bet 41 is on box 2, and boxes 1 to 1 were dealt to"


def test_a_split_has_two_hands_and_a_later_stake_is_shown_again(page):
    """What an earlier ruling placed (it came from no terminal) is entered again, not named.

    Two stakes of one player on one box: the split, and the double on its second hand.
    """
    bets = [
        bet(41, 7, "bet", 500),
        bet(50, 7, "split", 1205, terminal=None),
        bet(51, 7, "double", 500, terminal=None),
    ]
    bets[2]["slip"]["on"] = [2]
    values = ["KD 8S", "", "1", "1", "8H 3S 9D / 8D 9C"]
    labels, entered, before = page.evaluate(ENTERED, [{"game": "blackjack", "bets": bets}, values])
    assert before[5:] == ["split", "12.05", "", "double", "5.00", "2"]
    assert labels[5:8] == ["Placed by p7 after the deal", "Its stake", "Its hand"]
    assert entered == {
        "bank": "KD 8S",
        "boxes": {
            "1": {
                "cards": ["8H 3S 9D", "8D 9C"],
                "bets": ["41"],
                "later": [
                    {"player": "7", "bet": "split", "stake": 1205},
                    {"player": "7", "bet": "double", "on": [2], "stake": 500},
                ],
            },
        },
    }


def test_jackpot_hands_are_given_bet_by_bet(page):
    """One folded; where no combination is printed there are no fields, the JSON names meters."""
    bets = [bet(41, 7, "jackpot", 100), bet(42, 8, "jackpot", 100)]
    round_ = {"game": "jackpot", "rules": "hc2023", "variant": "caribbean", "bets": bets}
    values = ["ad kd qd jd 10d", "", "2C 4D 7H 9D JC", "yes"]
    entered = page.evaluate(ENTERED, [round_, values])[1]
    assert entered == {
        "hands": {"41": "AD KD QD JD TD", "42": "2C 4D 7H 9D JC"},
        "folded": ["42"],
    }
    begun = """async (round) => {
      const { recordOf, resultOf } = await import("./outcomes.js");
      return [resultOf(round), recordOf(round).read()];
    }"""
    assert page.evaluate(begun, {**round_, "variant": "blackjack"}) == [
        None,
        {"won": {"41": None, "42": None}},
    ]


def test_a_poker_hand_is_given_player_by_player(page):
    """ben sits left of the button and folded for 7.00; cleo put in nothing."""
    bets = [bet(41, 7, "hand", 20_000), bet(42, 8, "hand", 20_000), bet(43, 9, "hand", 5000)]
    values = [
        "2C 7S 10D",
        "3D",
        "2",
        "200",
        "",
        "AH AD",
        "1",
        "7.00",
        "yes",
        "",
        "3",
        "",
        "yes",
        "",
    ]
    round_ = {"game": "poker_room", "variant": "holdem", "bets": bets}
    labels, entered, before = page.evaluate(ENTERED, [round_, values])
    place = "Place from the left of the button"
    assert (labels[:3], before[2]) == (["Board", "Burned", place], "1")
    assert entered == {
        "order": ["8", "7", "9"],
        "put_in": {"8": 700, "7": 20_000},
        "folded": ["8", "9"],
        "board": "2C 7S TD",
        "burned": "3D",
        "hands": {"7": "AH AD"},
    }
    values[12] = "mucked"
    entered = page.evaluate(ENTERED, [round_, values])[1]
    assert (entered["folded"], entered["mucked"]) == (["8"], ["9"])
    values[6] = "2"
    assert "same place" in page.evaluate(ENTERED, [round_, values])[1]


def test_what_the_shoe_read_is_there_box_by_box(page):
    """The cards are entered; no record has the player's box, so the form asks for it."""
    record = {"bank": "KC", "burned": "2S", "boxes": {"1": {"cards": "8H"}, "2": {"cards": "AS"}}}
    from_shoe = {"cards": ["8H", "AS", "KC"], "burned": ["2S"], "why": "", "record": record}
    round_ = {"game": "casino_war", "bets": [bet(41, 7, "bet", 500)], "shoeCards": from_shoe}
    _, entered, before = page.evaluate(ENTERED, [round_, []])
    assert before == ["KC", "2S", "2", "", "8H", "AS"]
    assert entered == "bet 41 is on box –, and boxes 1 to 2 were dealt to"
    entered = page.evaluate(ENTERED, [round_, ["KC", "2S", "2", "2"]])[1]
    assert entered == {
        "bank": "KC",
        "burned": "2S",
        "boxes": {
            "1": {"cards": "8H"},
            "2": {"cards": "AS", "bets": ["41"]},
        },
    }


@pytest.mark.parametrize(
    ("many", "rows", "button"),
    [
        (500, 500, None),
        (501, 500, "Show the other 1 of 501"),
        (20_000, 500, "Show the other 19,500 of 20,000"),
    ],
)
@pytest.mark.one_in(2)
def test_a_round_of_very_many_bets_is_shown_in_two_steps(page, many, rows, button):
    """500 at once; the others on request."""
    assert page.evaluate(LISTED, many) == [rows, button, many, None]

"""How the editions and variants of Black Jack differ."""

from dataclasses import dataclass

from tabletools.rules.money import Odds

DE_LIVE = "de-live"
NATURAL: Odds = (3, 2)
"""What a Black Jack pays where no variant says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Articles:
    """The articles of an edition."""

    pays: str
    equal: str
    insurance: str
    double: str
    split: str
    sevens: str
    void: str
    offer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """One edition and variant, as one table offers it.

    natural: winnings of a Black Jack. own: paragraph of the variant, "" without one.
    bank_wins_ties: of 17 to 20 points. casino21: the bank wins
    all ties. natural_push: except two Black Jacks, which push. five_cards: the bonus of Casino21
    is paid. most_hands: into how many a hand may be split, None for any number.
    """

    edition: str
    articles: Articles
    own: str = ""
    natural: Odds = NATURAL
    bank_wins_ties: bool = False
    casino21: bool = False
    natural_push: bool = False
    five_cards: bool = False
    sevens: bool = True
    switch: bool = False
    most_hands: int | None = None
    one_card_on_aces: bool = True
    doubles_on_nine: bool = True
    doubles_after_split: bool = True
    color_jack_by_color: bool = False

    @property
    def soft_21_draws(self) -> bool:
        """Whether a soft 21 need not stop (hc2023 3:2(14), hc2011 3:2(19))."""
        return self.casino21

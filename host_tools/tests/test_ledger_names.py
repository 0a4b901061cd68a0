"""Names of users that a person would take for another's are refused."""

import pytest

from tabletools.store import Actor, LedgerRejection, Store, people, user_names

HOUSE = Actor("house")


@pytest.mark.parametrize(
    "name",
    [
        "Sue",
        "O'Neil",
        "Zoë",
        "Müller-Łaska",
        "Анна",
        "Ελένη",
        "山田はなこ",
        "김 민수",
        "שרה",
        "Tim 2",
    ],
)
def test_a_name_in_the_letters_of_one_script_is_taken(name):
    """Also with marks, in any script, and where a language writes in several."""
    user_names.verify(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("S\u0443e", "mixes letters of cyrillic and latin"),  # u of Cyrillic
        ("T\u03b9m", "mixes letters of greek and latin"),  # iota
        ("D\u0561n", "mixes letters of armenian and latin"),
        ("Sue\u200b", "has irregular characters"),
        ("\uff33ue", "has irregular characters"),  # S of full width
        ("Sue ", "has irregular characters"),
    ],
)
def test_a_name_that_is_not_as_it_looks_is_refused(name, why):
    """Letters of two scripts, invisible characters, forms that are another letter."""
    with pytest.raises(LedgerRejection, match=why):
        user_names.verify(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Coca", "\u0421\u043e\u0441\u0430"),  # all of Cyrillic
        ("BETA", "\u0392\u0395\u03a4\u0391"),  # all of Greek
        ("Isa", "lsa"),
        ("Bob 10", "Bob lO"),
        ("Sue", "SUE"),
        ("Ilya", "ilya"),
    ],
)
def test_a_name_that_looks_like_another_s_is_taken(tmp_path, one, other):
    """Whichever of the two was there first; a name of the same letters in another order is not."""
    for number, (first, second) in enumerate(((one, other), (other, one))):
        ledger = Store.open(tmp_path / str(number))
        people.create_user(ledger, first, "dealer", None, HOUSE)
        with pytest.raises(LedgerRejection, match="looks too similar") as refused:
            people.create_user(ledger, second, "dealer", None, HOUSE)
        assert refused.value.code == "name_taken"
        people.create_user(ledger, first[::-1], "dealer", None, HOUSE)
        ledger.close()


def test_names_that_differ_to_the_eye_stand_side_by_side(tmp_path):
    """Neil and Nell, the Cyrillic Anna and the Latin one."""
    ledger = Store.open(tmp_path / "ledger")
    for name in ("Neil", "Nell", "Anna", "Анна"):
        people.create_user(ledger, name, "dealer", None, HOUSE)
    ledger.close()

// Facts of games, written by `make gen`.

/** How many dice are thrown. */
export const DICE = {
  barbut: 2,
  diceball: 2,
  rocket7: 2,
  sic_bo: 3,
};

/** The role of the machine; for cards it may be two. */
export const ROLES = {
  barbut: "dice_tray",
  big_wheel: "money_wheel",
  bingo: "draw_machine",
  diceball: "dice_tray",
  keno: "draw_machine",
  money_wheel: "money_wheel",
  rocket7: "dice_tray",
  roulette: "roulette",
  sic_bo: "dice_tray",
};

/** The bets of a game that has a list of them, in any edition. */
export const BETS = {
  baccarat: ["player", "banker", "tie"],
  barbut: ["A", "B"],
  big_wheel: ["segment"],
  blackjack: ["bet", "split", "double", "insurance", "pair_pursuit", "21+3", "perfect_pairs",
    "bj_plus", "super_match"],
  caribbean: ["ante", "bet"],
  casino_holdem: ["ante", "bet", "aa_bonus"],
  casino_war: ["bet", "tie", "war"],
  diceball: ["seven_out", "hard", "place", "run", "slam"],
  four_card: ["ante", "bet", "aces_up"],
  high_low: ["high", "low", "egalite"],
  money_wheel: ["segment"],
  multi_poker: ["ante", "bet"],
  punto_banco: ["punto", "banco", "egalite", "punto_pair", "banco_pair", "super_egalite"],
  red_dog: ["bet", "extra"],
  rocket7: ["low", "high", "single", "any_double", "double", "any7", "specific7", "total"],
  roulette: ["straight", "split", "street", "corner", "top_line", "six_line", "dozen", "column",
    "even", "odd", "low", "high", "red", "black"],
  sic_bo: ["small", "big", "single", "two", "total", "double", "any_triple", "specific_triple"],
  three_card: ["ante", "bet", "pair_plus"],
  ultimate: ["ante", "blind", "bet", "trips"],
};

/** Games in which each player has a box. */
export const BOXED = ["blackjack", "caribbean", "casino_holdem", "casino_war", "four_card",
  "multi_poker", "three_card", "ultimate"];

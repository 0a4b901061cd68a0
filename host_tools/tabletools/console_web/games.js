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

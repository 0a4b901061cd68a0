// Offers of the centre: releases and configurations, which a person here takes or declines.

import { get, post } from "../api.js";
import { h, put } from "../dom.js";
import { t } from "../language.js";
import { ask, chip, field, grid, time } from "../parts.js";
import { may } from "../session.js";
import * as words from "../words.js";

const COLOURS = { taken: "good", open: "warn" };

/** Take or decline: both with a reason, neither installs anything. */
function decide(offer, done) {
  const reason = field(t("common.reason"), { required: true, maxlength: 500, autocomplete: "off" });
  const send = (act) => async () => {
    const decided = await post(`/offers/${offer.digest}/${act}`, { reason: reason.input.value });
    await done(t("offers.is_decided", { name: offer.name, decision: words.inside(decided.state) }));
  };
  ask({
    title: t("offers.offer", { number: offer.number, name: offer.name }),
    text: t("offers.for_digest", { target: offer.target, digest: offer.digest }),
    fields: [reason], agree: t("offers.take"), act: send("take"),
    refuse: { label: t("common.decline"), act: send("decline") },
  });
}

function state(offer, done) {
  const { decided } = offer;
  const parts = [chip(COLOURS[offer.state] || "mute", words.plain(offer.state))];
  if (decided !== null) {
    parts.push(" ", time(decided.at), ` ${t("offers.by", { who: decided.who, reason: decided.reason })}`);
    if (offer.is_withdrawn) parts.push(" ", chip("bad", t("offers.withdrawn_since")));
  } else if (offer.state === "open" && may("offers.decide")) {
    parts.push(" ", h("button", { type: "button", "aria-label": t("offers.decide_offer",
      { number: offer.number }), onclick: () => decide(offer, done) }, t("offers.decide")));
  }
  return parts;
}

const content = (offer) => h("a", { href: `/v1/offers/${offer.digest}/content`,
  "aria-label": t("offers.content_offer", { number: offer.number }) }, t("offers.read"));

export async function open(context) {
  const { main, own, frame } = context;
  async function done(text) {
    await open(context);
    frame.announce(text);
  }
  const found = await get("/offers");
  if (!own.alive) return;
  const refused = found.refused.length === 0 ? null : [h("h2", {}, t("offers.refused")),
    grid(t("offers.refused"), [[t("offers.file"), (row) => row.file],
      [t("offers.why"), (row) => row.why, "words"]], found.refused, "")];
  put(main, h("h1", {}, t("common.offers")), h("p", { class: "terms" }, found.is_read
    ? t("offers.nothing_is_installed") : t("offers.no_centre")),
  grid(t("common.offers"), [
    [t("offers.number"), (row) => String(row.number), "figure"],
    [t("offers.kind"), (row) => words.plain(row.kind)],
    [t("offers.name"), (row) => [row.name, " ", content(row)]],
    [t("offers.target"), (row) => row.target],
    [t("offers.until"), (row) => time(row.until_at)],
    [t("offers.state"), (row) => state(row, done), "words"],
  ], found.offers, t("offers.none")), refused);
}

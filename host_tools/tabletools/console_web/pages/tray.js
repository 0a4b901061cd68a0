// The tray that the host's own camera sees: the empty one with its floor, which is set by hand.

import { get, post } from "../api.js";
import { h, put, say } from "../dom.js";
import { tenths } from "../format.js";
import { t } from "../language.js";
import { ask, fact, field, time } from "../parts.js";
import { isConvex, polygonEditor, polygonView } from "../polygon-editor.js";
import { may } from "../session.js";

const MOST = 64;

function facts(tray) {
  const { corrected } = tray;
  const by = corrected
    ? [t("tray.by", { who: corrected.by, reason: corrected.reason }), " ", time(corrected.at)]
    : t("tray.as_calibrated");
  const rows = [[t("tray.floor_set"), by, "long"], [t("tray.version"), String(tray.version)],
    [t("tray.picture_size"), `${tray.width} × ${tray.height} px`],
    [t("tray.die"), `${tenths(Math.round(10 * tray.side_px))} px`],
    [t("tray.sum"), h("span", { class: "code" }, tray.digest), "long"]];
  return h("dl", { class: "facts wide" }, rows.map(([term, value, kind]) => {
    const one = fact(term, kind);
    put(one.value, value);
    if (kind === "long") one.element.classList.add("whole");
    return one.element;
  }));
}

/** The numbers of the corners in the place of a refusal, such as "floor 2 3". */
const cornersOf = (where) => where.split(" ").slice(1).map(Number);

function store(table, tray, editor, done) {
  const reason = field(t("common.reason"), { required: true, maxlength: 500, autocomplete: "off" });
  ask({ title: t("tray.store_title", { table: table.name }), text: t("tray.holds_from_next"),
    fields: [reason], agree: t("tray.store"),
    act: async () => {
      const body = { floor: editor.corners, digest: tray.digest, reason: reason.input.value.trim() };
      try {
        await post(`/tables/${table.id}/tray/floor`, body);
      } catch (problem) {
        if (problem.code === "floor_refused") editor.mark(cornersOf(problem.where));
        throw problem;
      }
      await done();
    } });
}

/** The picture and what changes its floor. */
function edited(table, tray, picture, { frame, own }, done) {
  const state = h("p", { class: "floor-state", role: "status" });
  const save = h("button", { type: "button", class: "primary",
    onclick: () => store(table, tray, editor, done) }, t("tray.store_floor"));
  const editor = polygonEditor({ picture, corners: tray.floor, size: [tray.width, tray.height],
    most: MOST, announce: frame.announce, changed });
  function changed() {
    const isFit = isConvex(editor.corners);
    const word = editor.isChanged ? t("tray.not_stored") : t("tray.in_force");
    say(state, isFit ? word : t("tray.not_convex"));
    state.classList.toggle("warn", !isFit);
    save.disabled = !isFit || !editor.isChanged;
  }
  editor.begin();
  own.hasUnsaved = () => editor.isChanged;
  return [editor.element, h("p", { class: "hint" }, t("tray.how_by_keyboard")), editor.tools, state,
    h("p", { class: "buttons" }, save)];
}

export async function open(context) {
  const { main, parts, own, frame } = context;
  const id = Number(parts[0]);
  const [table, tray] = await Promise.all([get(`/tables/${id}`), get(`/tables/${id}/tray`)]);
  if (!own.alive) return;
  async function done() {
    await open(context);
    frame.announce(t("tray.stored"));
  }
  const picture = h("img", { src: `/v1/tables/${id}/tray.png`, alt: t("tray.empty_tray"),
    width: tray.width, height: tray.height, draggable: "false" });
  const content = may("trays.correct") ? edited(table, tray, picture, context, done)
    : [polygonView(picture, tray.floor, [tray.width, tray.height]).element];
  put(main, h("h1", {}, t("tray.tray_of", { table: table.name })),
    h("p", { class: "terms" }, h("a", { href: `#/table/${id}` }, t("tray.to_table")), " · ",
      t("tray.holds_from_next")),
    h("div", { class: "tray-page" },
      h("section", { class: "panel floor", "aria-label": t("tray.floor") }, content),
      h("section", { class: "panel" }, h("h2", {}, t("tray.commissioning")), facts(tray),
        h("p", {}, h("a", { href: `/v1/tables/${id}/tray.png` }, t("tray.file"))))));
}

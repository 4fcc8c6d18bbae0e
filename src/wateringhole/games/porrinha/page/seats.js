// @ts-check
/** The seats around the table: a fist with the player's guess, and a plate with the remaining sticks. */

import { botButtons } from "/static/js/bot-card.js";
import { setChildren, h, icon, setAttribute, setText, styleOf } from "/static/js/dom.js";
import { levelName } from "/static/js/levels.js";
import { patchChildren } from "/static/js/patch.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").PorrinhaScene} Scene */

/**
 * The data of one seat.
 * @typedef {object} SeatModel
 * @property {string} name
 * @property {boolean} mine
 * @property {boolean} isIn whether the player still has sticks and was not thrown out
 * @property {string} status why the player is no longer in the game
 * @property {number} sticks
 * @property {number} most
 * @property {number|null} hand the number in the fist, if it is visible
 * @property {boolean} open
 * @property {number|null} guess
 * @property {boolean} isVoid
 * @property {"right"|"wrong"|null} verdict
 * @property {boolean} leads
 * @property {boolean} acting
 * @property {import("/static/js/types.js").SeatInfo} [info]
 * @property {string|null} bot its label
 * @property {string|null} absence how long the seat is reserved for a disconnected player
 */

/** @param {number} number @param {number} of */
export const sticks = (number, of) =>
  Array.from({ length: of }, (_, index) => {
    const picture = icon("stick");
    if (index >= number) picture.classList.add("spent");
    return picture;
  });

/** More sticks than this are shown only as a number. */
const MAX_DRAWN = 7;

/**
 * Creates a seat that stays in the document and is redrawn.
 * @param {number} position from the bottom, clockwise
 * @param {number} count
 */
export function createSeat(position, count) {
  const art = h("div", { class: "hand-art" });
  const who = h("span", { class: "who" });
  const left = h("span", { class: "sticks" });
  const root = h("section", { class: "seat" }, art, h("div", { class: "plate" }, who, left));
  const angle = ((0.25 + position / count) % 1) * 2 * Math.PI;
  styleOf(root).setProperty("--x", Math.cos(angle).toFixed(3));
  styleOf(root).setProperty("--y", Math.sin(angle).toFixed(3));
  // Nearer seats are in front, so that no name covers a guess.
  styleOf(root).setProperty("z-index", String(Math.round(10 + 10 * Math.sin(angle))));
  let drawn = "";

  /** @param {SeatModel} seat */
  function draw(seat) {
    setAttribute(root, "aria-label", seatLabel(seat));
    const key = JSON.stringify(seat);
    if (key === drawn) return;
    drawn = key;
    root.classList.toggle("mine", seat.mine);
    root.classList.toggle("out", !seat.isIn);
    root.classList.toggle("acting", seat.acting);
    setChildren(art, seat.isIn ? hand(seat) : []);
    patchChildren(who, [
      ...botButtons(seat.info),
      h("span", null, seat.name),
      ...(seat.leads ? [h("span", { class: "tag first" }, t("seat.lead"))] : []),
      ...(seat.bot ? [h("span", { class: "tag note" }, seat.info?.bot?.level ? levelName(seat.info.bot.level) : seat.bot)] : []),
      ...(seat.absence ? [h("span", { class: "tag away" }, seat.absence)] : []),
    ]);
    if (!seat.isIn) setText(left, seat.status);
    else {
      const rows = seat.most <= MAX_DRAWN ? sticks(seat.sticks, seat.most) : [icon("stick")];
      setChildren(left, [...rows, h("em", null, t("seat.left", { sticks: seat.sticks }))]);
    }
  }
  return { root, draw };
}

/** @param {SeatModel} seat @returns {Node[]} */
function hand(seat) {
  const shows = seat.hand !== null && (seat.open || seat.hand > 0 || seat.mine);
  const held = seat.open && seat.hand !== null && seat.hand <= MAX_DRAWN;
  const state = seat.verdict ?? (seat.guess === null && !seat.isVoid ? "wait" : "");
  return [
    icon(seat.open ? "open-hand" : "fist"),
    ...(held && seat.hand ? [h("span", { class: "held" }, ...sticks(seat.hand, seat.hand))] : []),
    ...(shows ? [h("span", { class: "n num", title: seat.open ? null : t("seat.secret") }, seat.hand)] : []),
    ...(seat.guess !== null || seat.isVoid || seat.acting
      ? [h("span", { class: `guess num ${state}` }, seat.isVoid ? "–" : (seat.guess ?? "?"))]
      : []),
  ];
}

/** @param {SeatModel} seat */
function seatLabel(seat) {
  if (!seat.isIn) return t("seat.status", { name: seat.name, status: seat.status });
  const facts = [t("seat.sticks", { name: seat.name, count: seat.sticks })];
  if (seat.leads) facts.push(t("seat.leads"));
  if (seat.isVoid) facts.push(t("seat.noGuess"));
  else if (seat.guess !== null) facts.push(t("seat.said", { guess: seat.guess }));
  if (seat.hand !== null) facts.push(seat.open ? t("seat.showed", { hand: seat.hand }) : t("seat.hides", { hand: seat.hand }));
  if (seat.verdict === "right") facts.push(t("seat.right"));
  facts.push(...[seat.bot, seat.absence].filter((fact) => fact !== null));
  return facts.join(", ");
}

// @ts-check
/** The seats round the table: a fist with what its owner said, a plate with the sticks left. */

import { setChildren, pluralize, h, icon, setAttribute, setText, styleOf } from "/static/js/dom.js";

/** @typedef {import("./types.js").PorrinhaScene} Scene */

/**
 * What is drawn of one seat.
 * @typedef {object} SeatPicture
 * @property {string} name
 * @property {boolean} mine
 * @property {boolean} isIn still has sticks, and was not thrown out
 * @property {string} gone how it left, for those who are not in
 * @property {number} sticks
 * @property {number} most
 * @property {number|null} hand the number in the fist, where it may be seen
 * @property {boolean} open
 * @property {number|null} said
 * @property {boolean} isVoid
 * @property {"right"|"wrong"|null} verdict
 * @property {boolean} leads
 * @property {boolean} acting
 * @property {string|null} bot its kind
 * @property {string|null} absence how long the seat is kept for somebody who is away
 */

/** @param {number} number @param {number} of */
export const sticks = (number, of) =>
  Array.from({ length: of }, (_, index) => {
    const picture = icon("stick");
    if (index >= number) picture.classList.add("spent");
    return picture;
  });

/** More sticks than this are told in figures only. */
const MOST_DRAWN = 7;

/**
 * One seat that stays in the document and is redrawn.
 * @param {number} place from the bottom, clockwise
 * @param {number} places
 */
export function createSeat(place, places) {
  const art = h("div", { class: "hand-art" });
  const who = h("span", { class: "who" });
  const left = h("span", { class: "sticks" });
  const root = h("section", { class: "seat" }, art, h("div", { class: "plate" }, who, left));
  const angle = ((0.25 + place / places) % 1) * 2 * Math.PI;
  styleOf(root).setProperty("--x", Math.cos(angle).toFixed(3));
  styleOf(root).setProperty("--y", Math.sin(angle).toFixed(3));
  // Whoever sits nearer is in front: what is said must not be hidden behind somebody's name.
  styleOf(root).setProperty("z-index", String(Math.round(10 + 10 * Math.sin(angle))));
  let drawn = "";

  /** @param {SeatPicture} seat */
  function draw(seat) {
    setAttribute(root, "aria-label", sentence(seat));
    const key = JSON.stringify(seat);
    if (key === drawn) return;
    drawn = key;
    root.classList.toggle("mine", seat.mine);
    root.classList.toggle("gone", !seat.isIn);
    root.classList.toggle("acting", seat.acting);
    setChildren(art, seat.isIn ? hand(seat) : []);
    setChildren(who, [
      h("span", null, seat.name),
      ...(seat.leads ? [h("span", { class: "tag first" }, "lead")] : []),
      ...(seat.bot ? [h("span", { class: "tag note" }, seat.bot)] : []),
      ...(seat.absence ? [h("span", { class: "tag away" }, seat.absence)] : []),
    ]);
    if (!seat.isIn) setText(left, seat.gone);
    else {
      const rows = seat.most <= MOST_DRAWN ? sticks(seat.sticks, seat.most) : [icon("stick")];
      setChildren(left, [...rows, h("em", null, `${seat.sticks} left`)]);
    }
  }
  return { root, draw };
}

/** @param {SeatPicture} seat @returns {Node[]} */
function hand(seat) {
  const shows = seat.hand !== null && (seat.open || seat.hand > 0 || seat.mine);
  const held = seat.open && seat.hand !== null && seat.hand <= MOST_DRAWN;
  const state = seat.verdict ?? (seat.said === null && !seat.isVoid ? "wait" : "");
  return [
    icon(seat.open ? "open-hand" : "fist"),
    ...(held && seat.hand ? [h("span", { class: "held" }, ...sticks(seat.hand, seat.hand))] : []),
    ...(shows ? [h("span", { class: "n num", title: seat.open ? null : "Seen by this player alone" }, seat.hand)] : []),
    ...(seat.said !== null || seat.isVoid || seat.acting
      ? [h("span", { class: `said num ${state}` }, seat.isVoid ? "–" : (seat.said ?? "?"))]
      : []),
  ];
}

/** @param {SeatPicture} seat */
function sentence(seat) {
  if (!seat.isIn) return `${seat.name}: ${seat.gone}`;
  const facts = [`${seat.name}: ${pluralize(seat.sticks, "stick")}`];
  if (seat.leads) facts.push("leads");
  if (seat.isVoid) facts.push("said nothing that counts");
  else if (seat.said !== null) facts.push(`said ${seat.said}`);
  if (seat.hand !== null) facts.push(`${seat.open ? "showed" : "hides"} ${seat.hand}`);
  if (seat.verdict === "right") facts.push("was right");
  facts.push(...[seat.bot, seat.absence].filter((fact) => fact !== null));
  return facts.join(", ");
}

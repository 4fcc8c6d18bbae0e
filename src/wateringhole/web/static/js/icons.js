// @ts-check
/**
 * The icons of all pages, and the functions for drawing a game's own: shapes on a 48 by 48 square. Each icon has at most
 * one accent, in the colour --icon-accent.
 */

/** @typedef {[tag: string, attributes: Record<string, string>]} Shape */

/** @param {Record<string, string>} attributes @param {string} [transform] @returns {Shape} */
const path = (attributes, transform) => ["path", transform ? { ...attributes, transform } : attributes];

/** @param {string} d @param {string} [transform] */
export const solid = (d, transform) => path({ d, "fill-rule": "evenodd" }, transform);

/** @param {string} d @param {string} [transform] */
export const accent = (d, transform) => path({ d, "fill-rule": "evenodd", fill: "var(--icon-accent)" }, transform);

const ROUND = { fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" };

/** @param {string} d @param {number} width */
export const line = (d, width) => path({ ...ROUND, d, stroke: "currentColor", "stroke-width": String(width) });

/** @param {string} d @param {number} width */
export const accentLine = (d, width) => path({ ...ROUND, d, stroke: "var(--icon-accent)", "stroke-width": String(width) });

/** @param {number} cx @param {number} cy @param {number} rx @param {number} ry @param {string} transform @returns {Shape} */
export const oval = (cx, cy, rx, ry, transform) => [
  "ellipse",
  { cx: String(cx), cy: String(cy), rx: String(rx), ry: String(ry), transform },
];

export const ICONS = /** @satisfies {Record<string, Shape[]>} */ ({
  coach: [
    solid("M8 3.5C12 5.5 15 6.8 17 8C21.5 6.6 26.5 6.6 31 8C33 6.8 36 5.5 40 3.5C41.2 8 41.2 12 40.6 15C42.2 19 42.6 24 42 29C41 39 34 45 24 45C14 45 7 39 6 29C5.4 24 5.8 19 7.4 15C6.8 12 6.8 8 8 3.5ZM10.2 18.5a6.3 6.3 0 1 0 12.6 0a6.3 6.3 0 1 0 -12.6 0ZM25.2 18.5a6.3 6.3 0 1 0 12.6 0a6.3 6.3 0 1 0 -12.6 0ZM13 31Q16.5 35.5 20.5 31.5Q16.6 32.6 13 31ZM27.5 31.5Q31.5 35.5 35 31Q31.4 32.6 27.5 31.5ZM20 37.5Q24 41.8 28 37.5Q24 39 20 37.5Z"),
    accent("M13.3 18.5a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0ZM28.3 18.5a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0ZM24 22.5L27 27.5L24 31L21 27.5Z"),
  ],
  backward: [solid("M34 8L12 24L34 40Z")],
  call: [
    solid("M19.5 5.5C22 3 26 3 28.5 5.5C31 4.5 32 7 31 8.5C31.8 12 30.5 15 28.5 16.8C32.5 21 33.5 28 32.5 35C32.5 39 33 42 34 44.5L14 44.5C15 42 15.5 39 15.5 35C14.5 28 15.5 21 19.5 16.8C17.5 15 16.2 12 17 8.5C16 7 17 4.5 19.5 5.5ZM19.8 9.2a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0 -2.8 0ZM25.4 9.2a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0 -2.8 0ZM22.1 14a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0 -3.8 0ZM20 23Q19.8 28.5 23 33Q23.2 27.5 20 23ZM28 23Q24.8 27.5 25 33Q28.2 28.5 28 23ZM24 37Q22.6 40.8 24 44.5Q25.4 40.8 24 37Z"),
    accentLine("M12.5 6.5C10 10 10 15 12.5 18.5M7 3C2.5 9 2.5 16 7 22M35.5 6.5C38 10 38 15 35.5 18.5M41 3C45.5 9 45.5 16 41 22", 2.6),
  ],
  check: [line("M8 26L19 37L40 12", 6)],
  down: [["path", { d: "M8 18L24 34L40 18L36 14L24 26L12 14Z" }]],
  cross: [line("M12 12L36 36M36 12L12 36", 5)],
  first: [solid("M8 8H14V40H8ZM40 8L18 24L40 40Z")],
  forward: [solid("M14 8L36 24L14 40Z")],
  last: [solid("M34 8H40V40H34ZM8 8L30 24L8 40Z")],
  left: [line("M30 8L14 24L30 40", 6)],
  "open-hand": [
    line("M15.5 24L12 10.5M22 22L21.5 5.5M29 22L31.5 6.5M35 25L40.5 12.5", 5.6),
    solid("M12.8 25.5C18 23.5 31 22.5 37.5 25C37.5 32 37.5 37 33.5 40L33 45.5L18 45.5L17.5 41C12.5 38.5 8.5 33.5 3.5 28.5C1 25.5 4.5 22 7.8 24.3L13.5 29ZM17.5 33.5Q25.2 33.2 32 29.5Q24.6 31.1 17.5 33.5ZM20 38.5Q26.2 38.3 31.5 35Q25.7 36.6 20 38.5Z"),
  ],
  pause: [solid("M11 7H20V41H11ZM28 7H37V41H28Z")],
  paw: [
    solid("M24 22C31 22 38.5 30 38.5 36.5C38.5 41 35 43.5 31.5 43C28.5 42.5 26.5 41.5 24 41.5C21.5 41.5 19.5 42.5 16.5 43C13 43.5 9.5 41 9.5 36.5C9.5 30 17 22 24 22Z"),
    oval(7.5, 22.5, 4, 5.5, "rotate(-24 7.5 22.5)"),
    oval(17.5, 11.5, 4.3, 6.5, "rotate(-8 17.5 11.5)"),
    oval(30.5, 11.5, 4.3, 6.5, "rotate(8 30.5 11.5)"),
    oval(40.5, 22.5, 4, 5.5, "rotate(24 40.5 22.5)"),
  ],
  play: [solid("M13 6L42 24L13 42Z")],
  plus: [line("M24 8V40M8 24H40", 7)],
  right: [line("M18 8L34 24L18 40", 6)],
  sun: [
    accent("M10 31A14 14 0 0 1 38 31ZM15.5 28Q19.7 25.3 21 20.5Q18.1 24.1 15.5 28Z"),
    line("M24 12V4M11.5 18L6 12.5M36.5 18L42 12.5M5.5 29L2.5 28.5M42.5 29L45.5 28.5", 3),
    solid("M2 34H46L42.5 37.5H5.5ZM8 40H40L35 43.5H13Z"),
  ],
  swap: [line("M8 18H36L28 10M40 30H12L20 38", 6)],
  theme: [solid("M24 4A20 20 0 1 0 24 44A20 20 0 1 0 24 4ZM24 9A15 15 0 0 1 24 39Z")],
  up: [["path", { d: "M8 30L24 14L40 30L36 34L24 22L12 34Z" }]],
  "watering-hole": [
    solid("M1.5 33C1.5 29 5 27 8.5 26.5C11 22.5 18 22 24 22.5C31 21 39 22.5 40.5 26C45 27 47 30 46.5 34C46 41 37 46 24 46C11 46 2 41 1.5 33ZM7 34a16.5 7.3 0 1 0 33 0a16.5 7.3 0 1 0 -33 0ZM9.9 34a13.6 5.4 0 1 0 27.2 0a13.6 5.4 0 1 0 -27.2 0ZM17 34a6.5 2.4 0 1 0 13 0a6.5 2.4 0 1 0 -13 0Z"),
    line("M33 22V8", 2.6),
    accent("M33 1C36 2.5 36.3 11 33 14C29.7 11 30 2.5 33 1Z"),
    solid("M28.5 21C28.5 14 26 8.5 20.5 5C20.5 12 22.5 17 25.5 21ZM37 21.5C37.5 15 40.5 10.5 45.5 8.5C45 15 43 19 40 22.5Z"),
  ],
});

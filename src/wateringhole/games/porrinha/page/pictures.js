// @ts-check
/** Porrinha in five pictures: sticks, fists, guesses, open hands and the end. */

import { defineIcons, icon, svg } from "/static/js/dom.js";
import { ICONS } from "./icons.js";
import { t } from "./text.js";

const WIDTH = 220;
const HEIGHT = 120;

/** @param {...(SVGElement | SVGElement[])} parts */
const scene = (...parts) =>
  svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}` },
    svg("rect", { width: WIDTH, height: HEIGHT, fill: "var(--bank)" }),
    svg("ellipse", { cx: 110, cy: 104, rx: 124, ry: 46, fill: "var(--mud)" }),
    ...parts,
  );

/** @param {string} name @param {number} x @param {number} y @param {number} size @param {number} [opacity] */
function picture(name, x, y, size, opacity = 1) {
  icon(name); // adds the shape to the document
  return svg("use", { href: `#icon-${name}`, x, y, width: size, height: size, fill: "var(--ink)", color: "var(--ink)", opacity });
}

/** @param {string} text @param {number} x @param {number} y */
const bubble = (text, x, y) => [
  svg("rect", { x: x - 8 - text.length * 6, y: y - 18, width: 16 + text.length * 12, height: 30, rx: 10, fill: "var(--paper)", stroke: "var(--line)", "stroke-width": 1.5 }),
  svg("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 18, "font-weight": 800, "font-family": "var(--font-display)", fill: "var(--ink)" }, text),
];

/** @returns {import("/static/js/pictures.js").Picture[]} */
export function pictures() {
  defineIcons(ICONS);
  return [
    { picture: scene(picture("stick", 42, 36, 48), picture("stick", 86, 32, 48), picture("stick", 130, 36, 48)), text: t("pictures.sticks") },
    { picture: scene(picture("fist", 36, 34, 66), picture("stick", 132, 44, 40, 0.5)), text: t("pictures.hide") },
    { picture: scene(picture("fist", 30, 46, 56), picture("fist", 134, 46, 56), bubble("4?", 74, 34), bubble("2?", 176, 34)), text: t("pictures.guess") },
    { picture: scene(picture("open-hand", 22, 40, 60), picture("open-hand", 138, 40, 60), bubble("2 + 1", 110, 34)), text: t("pictures.open") },
    { picture: scene(picture("open-hand", 30, 40, 60), picture("fist", 132, 44, 56), picture("stick", 178, 60, 34)), text: t("pictures.end") },
  ];
}

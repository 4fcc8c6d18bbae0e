// @ts-check
/** Evolution in five pictures: deal, declare, reveal, feed and count. */

import { defineIcons, icon, svg } from "/static/js/dom.js";
import { creature } from "./creature.js";
import { ICONS } from "./icons.js";
import { t } from "./text.js";

const WIDTH = 220;
const HEIGHT = 120;

/** @param {...(SVGElement | SVGElement[])} parts */
const scene = (...parts) =>
  svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, svg("rect", { width: WIDTH, height: HEIGHT, fill: "var(--bank)" }), ...parts);

const hill = () => svg("path", { d: "M0 96C60 84 150 90 220 92V120H0Z", fill: "var(--hill)" });

const pond = () => [
  svg("path", { d: "M6 86C2 58 60 48 112 50C170 46 220 58 214 86C210 112 160 116 110 114C50 116 10 110 6 86Z", fill: "var(--mud)" }),
  svg("path", { d: "M16 86C14 65 66 56 112 58C166 56 206 66 204 85C200 105 158 107 110 106C56 107 20 104 16 86Z", fill: "var(--water)" }),
];

/** @param {string} name @param {number} x @param {number} y @param {number} size @param {string} [colour] */
function picture(name, x, y, size, colour = "var(--ink)") {
  icon(name); // adds the shape to the document
  return svg("use", { href: `#icon-${name}`, x, y, width: size, height: size, fill: colour, color: colour });
}

/** @param {string} content an icon, or a number @param {string} tint @param {number} x @param {number} y @param {number} angle */
function card(content, tint, x, y, angle) {
  const inside =
    content in ICONS
      ? picture(content, 6, 12, 28)
      : svg("text", { x: 20, y: 36, "text-anchor": "middle", "font-size": 22, "font-weight": 800, "font-family": "var(--font-display)", fill: "var(--ink)" }, content);
  return svg(
    "g",
    { transform: `translate(${x} ${y}) rotate(${angle} 20 28)` },
    svg("rect", { width: 40, height: 56, rx: 5, fill: `var(--${tint})`, stroke: "var(--line)", "stroke-width": 1.5 }),
    inside,
  );
}

/** @param {number} x @param {number} y */
const food = (x, y) => [
  svg("circle", { cx: x, cy: y, r: 11, fill: "var(--leaf)", stroke: "var(--line)", "stroke-width": 1.5 }),
  picture("food-plant", x - 8, y - 8, 16, "var(--paper)"),
];

/** @param {number} body @param {string[]} traits @param {number} x @param {number} y @param {number} width @param {number} [opacity] */
function animal(body, traits, x, y, width, opacity = 1) {
  const drawn = creature({ body, traits }, false);
  for (const [name, value] of Object.entries({ x, y, width, height: width * 0.75, opacity })) drawn.setAttribute(name, String(value));
  return drawn;
}

/** @returns {import("/static/js/pictures.js").Picture[]} */
export function pictures() {
  defineIcons(ICONS);
  return [
    {
      picture: scene(
        hill(),
        card("foraging", "green", 24, 36, -14),
        card("hard-shell", "blue", 68, 26, -5),
        card("carnivore", "red", 112, 26, 5),
        card("fertile", "yellow", 156, 36, 14),
      ),
      text: t("pictures.deal"),
    },
    { picture: scene(pond(), card("card-back", "paper", 92, 20, -6)), text: t("pictures.declare") },
    {
      picture: scene(pond(), card("+6", "red", 40, 12, -8), card("−1", "blue", 90, 8, 3), card("+3", "green", 140, 12, 9), food(60, 92), food(110, 96), food(160, 90)),
      text: t("pictures.reveal"),
    },
    { picture: scene(hill(), animal(3, ["foraging"], 6, 24, 100), food(112, 84), animal(5, ["carnivore"], 112, 16, 106)), text: t("pictures.feed") },
    { picture: scene(hill(), animal(3, ["horns"], 4, 22, 104), animal(1, [], 88, 36, 80, 0.3), food(184, 34), food(200, 56), food(180, 76)), text: t("pictures.count") },
  ];
}

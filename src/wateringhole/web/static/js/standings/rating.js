// @ts-check
/** The ranking: ratings as bars with their intervals, and the figures beside them. */

import { h, svg } from "../dom.js";

/**
 * @typedef {object} Row
 * @property {number} rank
 * @property {string} name
 * @property {number} rating
 * @property {number} low
 * @property {number} high
 * @property {number} win_rate
 * @property {number} win_low
 * @property {number} win_high
 * @property {number} mean_place
 * @property {number|null} mean_score null where a game has no scores
 * @property {number|null} score_low
 * @property {number|null} score_high
 * @property {number} games
 * @property {Record<string, number>} forfeits
 * @property {number} seconds
 */

const FAMILIES = ["hunting", "feeding", "defence", "growth"];
const WIDTH = 500;

/** Round steps between the lines of the plot. @param {number} span */
function stepFor(span) {
  const rough = span / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? rough;
}

/** @param {number} number @param {number} [digits] */
export const figure = (number, digits = 1) => number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** @param {number} share */
export const percent = (share) => `${Math.round(share * 100)} %`;

/** @param {Row[]} rows */
export function ratingTable(rows) {
  const low = Math.min(...rows.map((row) => row.low));
  const high = Math.max(...rows.map((row) => row.high));
  const step = stepFor(Math.max(high - low, 1e-9));
  const from = Math.floor(low / step) * step;
  const to = Math.ceil(high / step) * step;
  const digits = step >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(step)));
  const x = (/** @type {number} */ rating) => ((rating - from) / (to - from)) * WIDTH;
  const lines = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step);
  const axis = svg(
    "svg",
    { class: "axis", viewBox: `0 0 ${WIDTH} 22`, "aria-hidden": "true" },
    ...lines.map((line) => svg("text", { x: x(line), y: 16, "text-anchor": "middle" }, figure(line, digits))),
  );
  const scored = rows.every((row) => row.mean_score !== null);
  const body = rows.map((row, index) => {
    const family = FAMILIES[index % FAMILIES.length];
    const plot = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} 52`, preserveAspectRatio: "none", role: "img", "aria-label": `${figure(row.low, digits)} to ${figure(row.high, digits)}` },
      ...lines.map((line) => svg("path", { d: `M${x(line)} 0V52`, stroke: "var(--line-soft)", opacity: ".6", "vector-effect": "non-scaling-stroke" })),
      svg("path", { d: `M${x(row.low)} 26H${x(row.high)}`, stroke: `var(--${family}-ink)`, "stroke-width": 10, "stroke-linecap": "round" }),
      svg("path", { d: `M${x(row.rating)} 13V39`, stroke: "var(--ink)", "stroke-width": 4, "vector-effect": "non-scaling-stroke" }),
    );
    const forfeits = Object.entries(row.forfeits).map(([reason, count]) => `${count} ${reason}`).join(", ");
    return h(
      "tr",
      null,
      h("td", { class: "pos num" }, row.rank),
      h("th", { scope: "row" }, row.name),
      h("td", { class: "r rating num" }, figure(row.rating, digits), h("small", null, `${figure(row.low, digits)} to ${figure(row.high, digits)}`)),
      h("td", { class: "plot" }, plot),
      h("td", { class: "r num" }, percent(row.win_rate), h("small", null, `${percent(row.win_low)} to ${percent(row.win_high)}`)),
      h("td", { class: "r num hide" }, figure(row.mean_place, 2)),
      ...(scored ? [h("td", { class: "r num hide" }, figure(row.mean_score ?? 0), h("small", null, `${figure(row.score_low ?? 0)} to ${figure(row.score_high ?? 0)}`))] : []),
      h("td", { class: "r num hide" }, row.games.toLocaleString("en")),
      h("td", { class: "r num hide" }, `${figure(row.seconds, 2)} s`),
      h("td", { class: "hide small" }, forfeits || "none"),
    );
  });
  const head = [["", "pos"], ["Player", ""], ["Rating", "r"]];
  const tail = [["First", "r"], ["Mean place", "r hide"], ...(scored ? [["Mean score", "r hide"]] : []), ["Games", "r hide"], ["Time used", "r hide"], ["Forfeits", "hide"]];
  const cell = (/** @type {string[]} */ [text, kind]) => (text ? h("th", { scope: "col", class: kind }, text) : h("td", { class: kind }));
  return h(
    "table",
    null,
    h("caption", { class: "vh" }, "Ratings with 95 % intervals"),
    h("thead", null, h("tr", null, ...head.map(cell), h("td", { class: "plot" }, axis), ...tail.map(cell))),
    h("tbody", null, ...body),
  );
}

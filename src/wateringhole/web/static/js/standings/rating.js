// @ts-check
/** The ranking: a plot of ratings with their intervals, and the numbers next to it. */

import { h, svg } from "../dom.js";
import { TINTS, playerFace } from "../games.js";
import { formatNumber, formatPercent, t } from "../text.js";

/**
 * @typedef {object} Row
 * @property {number} rank
 * @property {string} name
 * @property {number} rating
 * @property {number|null} low null, like all unknown values, if the player has played too few games
 * @property {number|null} high
 * @property {number|null} win_rate
 * @property {number|null} win_low
 * @property {number|null} win_high
 * @property {number|null} mean_place
 * @property {number|null} mean_score null if the game has no scores
 * @property {number|null} score_low
 * @property {number|null} score_high
 * @property {number} games
 * @property {Record<string, number>} forfeits
 * @property {number} repaired_answers
 * @property {number} seconds
 */

const WIDTH = 500;
/** The fewest points that the plot covers. */
const LEAST_SPAN = 0.1;

/** Returns a round step between the grid lines of the plot. @param {number} span */
function stepFor(span) {
  const rough = span / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? rough;
}

/** Formats a number, or returns an empty string if it is unknown. @param {number|null} number @param {number} [digits] */
export const figure = (number, digits = 1) => number === null ? "" : formatNumber(number, digits);

/** Formats a percentage, or returns an empty string if it is unknown. @param {number|null} share */
export const percent = (share) => (share === null ? "" : formatPercent(share));

/** Returns "1,551 to 1,663". @param {number|null} low @param {number|null} high @param {(number: number|null) => string} format */
const interval = (low, high, format) => (low === null || high === null ? "" : t("rating.interval", { low: format(low), high: format(high) }));

/** @param {string} game @param {Row[]} rows */
export function ratingTable(game, rows) {
  const low = Math.min(...rows.map((row) => row.low ?? row.rating));
  // After the first games, all ratings may be the same.
  const high = Math.max(low + LEAST_SPAN, ...rows.map((row) => row.high ?? row.rating));
  const step = stepFor(high - low);
  const from = Math.floor(low / step) * step;
  const to = Math.ceil(high / step) * step;
  const digits = step >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(step)));
  const x = (/** @type {number} */ rating) => ((rating - from) / (to - from)) * WIDTH;
  const lines = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step);
  const axis = h(
    "div",
    { class: "axis num", "aria-hidden": "true" },
    ...lines.map((line) => h("span", { style: { left: `${(x(line) / WIDTH) * 100}%` } }, figure(line, digits))),
  );
  const scored = rows.some((row) => row.mean_score !== null);
  const repaired = rows.some((row) => row.repaired_answers > 0);
  const rated = (/** @type {number|null} */ rating) => figure(rating, digits);
  const body = rows.map((row, index) => {
    const tint = TINTS[index % TINTS.length];
    const plot = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} 52`, preserveAspectRatio: "none", role: "img", "aria-label": interval(row.low, row.high, rated) || t("rating.unknown") },
      ...lines.map((line) => svg("path", { d: `M${x(line)} 0V52`, stroke: "var(--line-soft)", opacity: ".6", "vector-effect": "non-scaling-stroke" })),
      svg("path", { d: `M${x(row.low ?? row.rating)} 26H${x(row.high ?? row.rating)}`, stroke: `var(--${tint}-ink)`, "stroke-width": 10, "stroke-linecap": "round" }),
      svg("path", { d: `M${x(row.rating)} 13V39`, stroke: "var(--ink)", "stroke-width": 4, "vector-effect": "non-scaling-stroke" }),
    );
    const forfeits = Object.entries(row.forfeits).map(([reason, count]) => `${formatNumber(count)} ${t.find(`forfeit.${reason}`) ?? reason}`).join(", ");
    return h(
      "tr",
      null,
      h("td", { class: "pos num" }, row.rank),
      h("th", { scope: "row" }, h("span", { class: "who" }, playerFace(game, index, "mark"), h("span", null, row.name))),
      h("td", { class: "r rating num" }, figure(row.rating, digits), h("small", null, interval(row.low, row.high, rated))),
      h("td", { class: "plot" }, plot),
      h("td", { class: "r num" }, percent(row.win_rate), h("small", null, interval(row.win_low, row.win_high, percent))),
      h("td", { class: "r num hide" }, figure(row.mean_place, 2)),
      ...(scored ? [h("td", { class: "r num hide" }, figure(row.mean_score), h("small", null, interval(row.score_low, row.score_high, figure)))] : []),
      h("td", { class: "r num hide" }, formatNumber(row.games)),
      h("td", { class: "r num hide" }, `${figure(row.seconds, 2)} s`),
      ...(repaired ? [h("td", { class: "r num hide" }, formatNumber(row.repaired_answers))] : []),
      h("td", { class: "hide small" }, forfeits || t("rating.none")),
    );
  });
  const head = [["", "pos"], [t("rating.player"), ""], [t("rating.rating"), "r"]];
  const tail = [[t("rating.first"), "r"], [t("rating.meanPlace"), "r hide"], ...(scored ? [[t("rating.meanScore"), "r hide"]] : []), [t("rating.games"), "r hide"], [t("rating.time"), "r hide"], ...(repaired ? [[t("rating.repaired"), "r hide"]] : []), [t("rating.forfeits"), "hide"]];
  const cell = (/** @type {string[]} */ [text, kind]) => (text ? h("th", { scope: "col", class: kind }, text) : h("td", { class: kind }));
  return h(
    "table",
    null,
    h("caption", { class: "vh" }, t("rating.caption")),
    h("thead", null, h("tr", null, ...head.map(cell), h("td", { class: "plot" }, axis), ...tail.map(cell))),
    h("tbody", null, ...body),
  );
}

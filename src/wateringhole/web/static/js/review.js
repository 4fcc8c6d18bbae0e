// @ts-check
/**
 * The review of a finished game: a player's chance over time, the turning points, and what else the player could have
 * done there. Tables, replays and exported files show the same.
 */

import { get } from "./api.js";
import { h, svg } from "./dom.js";
import { gameText } from "./games.js";
import { formatPercent, t } from "./text.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").TurningPoint} TurningPoint */

const WIDTH = 1000;
const HEIGHT = 300;
/** How often to ask for the progress, in milliseconds. */
const POLL_MS = 1000;
const MOST_FAILURES = 3;

/**
 * Loads the analysis of a stored game, which the server makes on the first request.
 * @param {string} game
 * @param {(progress: string) => void} report
 * @param {() => boolean} isWanted whether to continue
 * @returns {Promise<{analysis?: Analysis, refused?: string}>} neither if it is no longer wanted
 */
export async function loadAnalysis(game, report, isWanted) {
  // The caller adds the section to the page after this call.
  await Promise.resolve();
  for (let failures = 0; isWanted(); ) {
    // The record of a game that has just ended may not be stored yet.
    const status = await get(`/api/games/${encodeURIComponent(game)}/analysis`).catch((error) => {
      failures += 1;
      if (failures > MOST_FAILURES) throw error;
      return { progress: 0, simulations: 0 };
    });
    if (status.analysis || status.refused) return status;
    if (status.simulations) report(t("review.progress", { count: status.simulations, share: formatPercent(status.progress) }));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return {};
}

/**
 * @param {object} options
 * @param {Analysis} options.analysis
 * @param {string} options.kind of the game
 * @param {string[]} options.names
 * @param {number} options.seat whose chances are shown first
 * @param {boolean} options.isMine whether the reader played at this seat
 * @param {(frame: number, seat: number) => void} options.jump shows the table before an event
 * @returns {HTMLElement}
 */
export function createReview({ analysis, kind, names, seat, isMine, jump }) {
  let shown = seat;
  let showsAll = false;
  /** @type {TurningPoint | null} */
  let chosen = null;
  const plot = h("div", { class: "plot" });
  const points = h("ol", { class: "points" });
  const detail = h("div", { class: "detail" });
  const everyone = h("button", { class: "btn ghost", type: "button", "aria-pressed": "false", onclick: toggleAll }, t("review.everyone"));
  const players = h(
    "select",
    { class: "field", "aria-label": t("review.player"), onchange: () => select(Number(players.value)) },
    ...analysis.lines.map((line) => h("option", { value: line.seat, selected: line.seat === seat }, names[line.seat] ?? "")),
  );
  const heading = h("h3");
  const sentence = h("p", { class: "small" });
  const root = h("section", { class: "review" }, heading, plot, sentence, h("div", { class: "choices" }, players, everyone), points, detail);
  select(seat);
  return root;

  /** @param {number} of */
  function select(of) {
    shown = of;
    chosen = null;
    draw();
  }

  function toggleAll() {
    showsAll = !showsAll;
    everyone.setAttribute("aria-pressed", String(showsAll));
    draw();
  }

  function draw() {
    const mine = analysis.turningPoints.filter((point) => point.seat === shown);
    const line = analysis.lines.find((each) => each.seat === shown);
    const who = isMine && shown === seat ? t("review.yours") : t("review.theirs", { name: names[shown] ?? "" });
    heading.textContent = who;
    plot.replaceChildren(chart(), ...mine.map(mark));
    const chances = line?.points ?? [];
    const [first, last] = [chances[0]?.[1] ?? 0, chances.at(-1)?.[1] ?? 0];
    sentence.textContent = chances.length ? t("review.sentence", { first: formatPercent(first), last: formatPercent(last) }) : t("review.nothing");
    points.replaceChildren(...mine.map(item));
    if (!mine.length && chances.length) points.replaceChildren(h("li", { class: "small" }, t("review.noPoints")));
    drawDetail();
  }

  /** @param {number} frame */
  function x(frame) {
    return analysis.frames > 1 ? (frame / (analysis.frames - 1)) * WIDTH : 0;
  }

  function chart() {
    const picture = svg("svg", { class: "curves", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    for (const { frame } of analysis.turns) picture.append(svg("path", { class: "cut", d: `M${x(frame)} 0V${HEIGHT}` }));
    picture.append(svg("path", { class: "half", d: `M0 ${HEIGHT / 2}H${WIDTH}` }));
    for (const { seat: of, points: chances } of analysis.lines) {
      if (of !== shown && !showsAll) continue;
      const path = chances.map(([frame, chance]) => `${x(frame).toFixed(1)} ${((1 - chance) * HEIGHT).toFixed(1)}`).join("L");
      if (of === shown) picture.append(svg("path", { class: "area", d: `M${x(chances[0]?.[0] ?? 0)} ${HEIGHT}L${path}L${x(chances.at(-1)?.[0] ?? 0)} ${HEIGHT}Z` }));
      picture.append(svg("path", { class: of === shown ? "shown" : `seat-${of % 8}`, d: `M${path}` }));
    }
    return picture;
  }

  /** @param {TurningPoint} point @param {number} index */
  function mark(point, index) {
    const style = { left: `${x(point.frame) / 10}%`, top: `${100 - 100 * point.after}%` };
    return h("i", { class: point === chosen ? "mark chosen" : "mark", style, "aria-hidden": "true" }, index + 1);
  }

  /** @param {TurningPoint} point @param {number} index */
  function item(point, index) {
    const turn = gameText(kind, "turn.title", { number: point.turn }) ?? t("review.turn", { turn: point.turn });
    const change = `${formatPercent(point.before)} → ${formatPercent(point.after)}`;
    return h(
      "li",
      null,
      h(
        "button",
        { type: "button", "aria-pressed": String(point === chosen), onclick: () => choose(point) },
        h("b", { class: "num" }, index + 1),
        h("span", null, h("b", null, turn), h("span", { class: "small" }, point.good ? t("review.good", { move: point.text }) : point.text)),
        h("span", { class: "num change" }, change),
      ),
    );
  }

  /** @param {TurningPoint} point */
  function choose(point) {
    const index = analysis.turningPoints.filter((each) => each.seat === shown).indexOf(point);
    chosen = point === chosen ? null : point;
    draw();
    points.querySelectorAll("button")[index]?.focus();
    detail.scrollIntoView({ block: "nearest" });
  }

  function drawDetail() {
    const point = chosen;
    if (!point) return detail.replaceChildren();
    const rows = point.options.map(({ text, chance, error, mine }) =>
      h(
        "li",
        { class: mine ? "mine" : null },
        h("span", null, text, mine && h("span", { class: "small" }, ` (${t("review.played")})`)),
        h("i", { class: "share", style: { "--share": `${100 * chance}%` }, "aria-hidden": "true" }),
        h("b", { class: "num" }, formatPercent(chance), error > 0 && h("small", null, ` ± ${formatPercent(error)}`)),
      ),
    );
    detail.replaceChildren(
      h("h4", null, t("review.else")),
      h("ul", { class: "options" }, ...rows),
      h("p", { class: "small" }, t("review.basis")),
      h("button", { class: "btn", type: "button", onclick: () => jump(point.frame, shown) }, t("review.see")),
    );
  }
}

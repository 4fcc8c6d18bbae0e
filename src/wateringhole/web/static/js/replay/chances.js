// @ts-check
/** The chances of an analysed game: a line for each seat, and the costliest decisions as buttons on the lines. */

import { h, svg } from "../dom.js";
import { gameText } from "../games.js";
import { formatNumber, formatPercent, t } from "../text.js";

/** @typedef {import("../types.js").Replay} Replay */

const WIDTH = 1000;
const HEIGHT = 100;

/**
 * @param {Replay} replay
 * @param {(frame: number) => void} jump
 * @returns {{root: HTMLElement, show: (frame: number) => void} | null} null if the game was not analysed
 */
export function createChances(replay, jump) {
  const analysis = replay.analysis;
  if (!analysis) return null;
  const last = replay.frames.length - 1;
  const x = (/** @type {number} */ frame) => (last > 0 ? (frame / last) * WIDTH : 0);
  const name = (/** @type {number} */ seat) => replay.names[seat] ?? "";
  const chart = svg("svg", { class: "curves", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const turn of replay.turns) chart.append(svg("path", { class: "cut", d: `M${x(turn.frame)} 0V${HEIGHT}` }));
  for (const { seat, points } of analysis.lines) {
    const path = points.map(([frame, chance]) => `${x(frame).toFixed(1)} ${(HEIGHT - chance * HEIGHT).toFixed(1)}`).join("L");
    chart.append(svg("path", { class: `seat-${seat % 8}`, d: `M${path}` }));
  }
  const costly = analysis.costliest.map((decision, rank) =>
    h("button", {
      type: "button",
      class: `costly seat-${decision.seat % 8}`,
      style: { left: `${x(decision.frame) / 10}%`, top: `${100 - 100 * decision.before}%`, "z-index": String(analysis.costliest.length - rank) },
      "aria-label": `${name(decision.seat)}: ${decision.text}`,
      title: `${name(decision.seat)}: ${formatPercent(decision.before)} → ${formatPercent(decision.after)}`,
      onclick: () => {
        jump(decision.frame);
        describe(decision);
      },
    }),
  );
  const legend = h(
    "p",
    { class: "legend" },
    h("span", null, t("chances.of", { subject: gameText(replay.game, `chance.${analysis.chanceOf}`) ?? analysis.chanceOf })),
    ...analysis.lines.map(({ seat }) => h("span", null, h("i", { class: `key seat-${seat % 8}` }), name(seat))),
    costly.length > 0 && h("span", null, h("i", { class: "costly" }), t("chances.costly")),
  );
  const verdict = h("p", { class: "verdict", role: "status" });

  /** @param {import("../types.js").CostlyDecision} decision */
  function describe(decision) {
    const error = decision.error ? ` ± ${formatNumber(100 * decision.error, 1)}` : "";
    verdict.replaceChildren(
      h("b", null, name(decision.seat)),
      ` ${t("chances.lost", { before: formatPercent(decision.before), after: formatPercent(decision.after), points: `${formatNumber(100 * decision.loss, 1)}${error}`, answer: decision.text })} `,
      h("b", null, analysis?.bestPlayer ?? ""),
      `: ${decision.best}.`,
    );
  }

  return {
    root: h("section", { class: "chances", "aria-label": t("chances.label") }, h("div", { class: "plot" }, chart, ...costly), legend, verdict),
    show(frame) {
      const decision = analysis.costliest.find((each) => each.frame === frame);
      if (decision) describe(decision);
      else verdict.replaceChildren();
    },
  };
}

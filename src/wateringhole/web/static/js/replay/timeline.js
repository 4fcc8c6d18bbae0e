// @ts-check
/** The timeline of a game: its turns, a chart of one quantity, marks at important events, and chances if known. */

import { h, setAttribute, svg } from "../dom.js";
import { t } from "../text.js";
import { createChances } from "./chances.js";

/** @typedef {import("../types.js").Replay} Replay */
/** @typedef {import("../types.js").Frame} Frame */

const WIDTH = 1000;
const HEIGHT = 44;
const LABEL_PX = 72;

/**
 * @param {Replay} replay
 * @param {import("../types.js").Timeline | undefined} config
 * @param {(frame: number) => void} jump
 */
export function createTimeline(replay, config, jump) {
  const last = replay.frames.length - 1;
  const x = (/** @type {number} */ frame) => (last > 0 ? (frame / last) * WIDTH : 0);
  const slider = h("input", {
    type: "range",
    min: 0,
    max: last,
    step: 1,
    value: 0,
    "aria-label": t("replay.position"),
    oninput: () => jump(Number(slider.value)),
  });
  const turns = h(
    "ol",
    { class: "turns", "aria-label": t("replay.turns") },
    ...replay.turns.map((turn) => {
      const button = h("button", { type: "button", onclick: () => jump(turn.frame) }, turn.label);
      return h("li", { style: { left: `${x(turn.frame) / 10}%` } }, button);
    }),
  );
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const marks = h("div", { class: "marks", "aria-hidden": "true" });
  if (config) {
    const levels = replay.frames.map((frame) => config.level(frame.scene));
    const top = Math.max(1, ...levels);
    const line = levels.map((level, frame) => `L${x(frame).toFixed(1)} ${(HEIGHT - (level / top) * HEIGHT).toFixed(1)}`).join("");
    chart.append(svg("path", { class: "level", d: `M0 ${HEIGHT}${line}L${WIDTH} ${HEIGHT}Z` }));
    replay.frames.forEach((frame, index) => {
      const mark = config.marks[frame.event.event];
      if (mark && (mark.when?.(frame.scene) ?? true)) marks.append(h("i", { class: mark.shape, style: { left: `${x(index) / 10}%` } }));
    });
  }
  for (const turn of replay.turns) chart.append(svg("path", { class: "cut", d: `M${x(turn.frame)} 0V${HEIGHT}` }));
  const legend = h(
    "p",
    { class: "legend" },
    config && h("span", null, h("i", { class: "level" }), config.name),
    ...Object.values(config?.marks ?? {}).map(({ text, shape }) => h("span", null, h("i", { class: shape }), text)),
  );
  // Hide labels that would overlap; the slider's text contains the turn as well.
  new ResizeObserver(() => {
    const stride = Math.ceil((replay.turns.length * LABEL_PX) / Math.max(1, turns.clientWidth));
    [...turns.children].forEach((label, index) => label.toggleAttribute("hidden", index % stride !== 0));
  }).observe(turns);
  const chances = createChances(replay, jump);
  const root = h("div", { class: "line" }, chances?.root, turns, h("div", { class: "slider-track" }, chart, marks, slider), legend);
  return {
    root,
    /** @param {number} frame */
    show(frame) {
      slider.value = String(frame);
      chances?.show(frame);
      const turn = replay.turns.findLast((start) => start.frame <= frame);
      setAttribute(slider, "aria-valuetext", `${turn ? `${turn.label}, ` : ""}${t("replay.event", { number: frame + 1, total: last + 1 })}`);
    },
  };
}

// @ts-check
/** The log of a replay; each line jumps to its event. */

import { h, icon } from "../dom.js";
import { t } from "../text.js";

/** @typedef {import("../types.js").Replay} Replay */
/** @typedef {import("../types.js").Guide} Guide */

/**
 * @param {Replay} replay
 * @param {Guide} guide
 * @param {(frame: number) => void} jump
 */
export function createLog(replay, guide, jump) {
  const list = h("ol", { class: "lines", tabindex: "0", "aria-label": t("log.lines") });
  const title = h("h2");
  const counter = h("span", { class: "small quiet num" });
  const root = h("section", { class: "log", "aria-label": t("table.log") }, h("header", null, title, counter), list);
  /** @type {{frame: number, line: HTMLElement}[]} */
  let lines = [];
  /** @type {HTMLElement | null} */
  let current = null;

  return {
    root,
    /** Writes the log as one seat saw the game, or with everything visible if the viewpoint is null. @param {number|null} viewpoint */
    write(viewpoint) {
      lines = [];
      const items = replay.frames.flatMap((frame, index) => {
        const texts = frame.texts[viewpoint === null ? 0 : viewpoint + 1] ?? [];
        const turn = replay.turns.find((start) => start.frame === index);
        const head = turn ? [h("li", { class: "head" }, turn.label)] : [];
        const sentences = texts.filter((text) => text.trim() !== "");
        if (sentences.length === 0) return head;
        const name = guide.icon(frame.event);
        const line = h(
          "li",
          null,
          h("button", { type: "button", onclick: () => jump(index) }, h("span", { class: "t num" }, index + 1), name ? icon(name) : h("span"), h("span", null, ...sentences.map((text) => h("span", { class: "sentence" }, text)))),
        );
        lines.push({ frame: index, line });
        return [...head, line];
      });
      list.replaceChildren(...items);
      current = null;
    },
    /** @param {number} frame */
    show(frame) {
      const turn = replay.turns.findLast((start) => start.frame <= frame);
      title.textContent = turn?.label ?? (replay.turns.length ? t("replay.beforeFirst") : t("log.lines"));
      counter.textContent = t("replay.event", { number: frame + 1, total: replay.frames.length });
      const found = lines.findLast((entry) => entry.frame <= frame)?.line ?? null;
      if (found === current) return;
      current?.removeAttribute("aria-current");
      found?.setAttribute("aria-current", "true");
      current = found;
      // Scroll only the list, never the page.
      if (found) list.scrollTop = found.offsetTop - list.offsetTop - list.clientHeight / 2;
    },
  };
}

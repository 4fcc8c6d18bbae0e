// @ts-check
/** The playback controls of a live table: how many moves are still to be shown, pause, step, speed, and back to live. */

import { byId, h, icon, setText } from "./dom.js";
import { patchChildren } from "./patch.js";
import { SPEEDS, behind, isLive, isMyTurn, shownRequest, sinceMyMove } from "./table-state.js";
import { t } from "./text.js";

/** @typedef {import("./table-state.js").Speed} Speed */
/** @typedef {import("./table-state.js").TableState} TableState */
/** @typedef {import("./table-state.js").UserAction} UserAction */

/** The strip shows this many earlier moves before the current one. */
const EARLIER_MOVES = 2;

/** @param {(action: UserAction) => void} dispatch */
export function createPlayback(dispatch) {
  const root = byId("playback");
  const strip = byId("strip");
  const since = byId("since");
  const count = h("span", { class: "count", role: "status" });
  const live = h("button", { class: "tool", id: "to-live", type: "button", "aria-keyshortcuts": "End", onclick: () => dispatch({ type: "live" }) });
  const back = control("backward", t("playback.back"), ",", () => dispatch({ type: "back" }));
  const forward = control("forward", t("playback.forward"), ".", () => {
    dispatch({ type: "pause" });
    dispatch({ type: "advance" });
  });
  let isPaused = false;
  const pause = control("pause", t("playback.pause"), "Space", () => dispatch({ type: isPaused ? "resume" : "pause" }));
  const speeds = /** @type {Speed[]} */ (Object.keys(SPEEDS)).map((speed) =>
    h("button", { type: "button", onclick: () => dispatch({ type: "speed", speed }) }, t(`speed.${speed}`)),
  );
  const speedGroup = h("span", { class: "seg", role: "group", "aria-label": t("playback.speed") }, ...speeds);
  root.append(count, back, pause, forward, speedGroup, live);

  return {
    /** @param {TableState} state */
    show(state) {
      const isAsked = shownRequest(state) !== null;
      const left = behind(state);
      isPaused = state.isPaused;
      root.hidden = state.tape.length === 0 || (state.over !== null && isLive(state));
      setText(count, left ? t("playback.toShow", { count: left }) : "");
      setText(live, isMyTurn(state) ? t("playback.toMyTurn") : t("playback.toLive"));
      live.hidden = isLive(state);
      back.toggleAttribute("disabled", state.position <= 1);
      forward.hidden = pause.hidden = isAsked;
      forward.toggleAttribute("disabled", isLive(state));
      setButton(pause, isPaused ? "play" : "pause", isPaused ? t("playback.play") : t("playback.pause"));
      speedGroup.hidden = isAsked || state.isStill;
      Object.keys(SPEEDS).forEach((speed, index) => speeds[index]?.setAttribute("aria-pressed", String(speed === state.speed)));
      const moves = sinceMyMove(state).flatMap(({ text }) => text);
      patchChildren(strip, isAsked ? [] : moves.slice(-EARLIER_MOVES - 1, -1).map((text) => h("li", null, text)));
      since.hidden = !isAsked || moves.length === 0;
      if (since.hidden) since.removeAttribute("open");
      else {
        const [summary, list] = since.children;
        patchChildren(summary, [h("span", { class: "word" }, t("playback.sinceWord")), moves.length]);
        summary.setAttribute("aria-label", t("playback.since", { moves: moves.length }));
        patchChildren(list, moves.map((text) => h("li", null, text)));
      }
    },
    /** Handles a key. @param {string} key @returns {boolean} whether it had a meaning */
    handleKey(key) {
      if (root.hidden || (pause.hidden && key !== ",")) return false;
      const names = /** @type {Speed[]} */ (Object.keys(SPEEDS));
      const at = names.findIndex((_, index) => speeds[index]?.getAttribute("aria-pressed") === "true");
      if (key === " ") pause.click();
      else if (key === ".") forward.click();
      else if (key === ",") back.click();
      else if (key === "End") live.click();
      else if (key === "+" || key === "-") speeds[Math.min(Math.max(at + (key === "+" ? 1 : -1), 0), speeds.length - 1)]?.click();
      else return false;
      return true;
    },
  };
}

/** @param {string} picture @param {string} label @param {string} key @param {() => void} onclick */
const control = (picture, label, key, onclick) =>
  h("button", { class: "round", type: "button", "aria-label": label, title: keyed(label, key), "aria-keyshortcuts": key, onclick }, icon(picture));

/** Returns a label with its key. @param {string} label @param {string} key as in `aria-keyshortcuts` */
const keyed = (label, key) => `${label} (${key === "Space" ? t("help.space") : key})`;

/** @param {HTMLElement} button @param {string} picture @param {string} label */
function setButton(button, picture, label) {
  if (button.getAttribute("aria-label") === label) return;
  button.setAttribute("aria-label", label);
  button.title = keyed(label, "Space");
  button.replaceChildren(icon(picture));
}

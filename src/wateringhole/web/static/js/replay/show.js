// @ts-check
/** One replay on the page: the table, the log, the timeline and its keys. */

import { h, icon, listed, wantsStillness } from "../dom.js";
import { createLog } from "./log.js";
import { nameMoment } from "./source.js";
import { createTimeline } from "./timeline.js";

/** @typedef {import("../types.js").Replay} Replay */

/** Milliseconds each event is shown. */
const SPEEDS = [
  ["×½", 2000],
  ["×1", 1000],
  ["×3", 333],
  ["×10", 100],
];

/** A tape that runs writes its moment into the address no more often than this: browsers take that for flooding. */
const NAMED_MS = 1000;

/**
 * @param {HTMLElement} root
 * @param {Replay} replay
 * @param {import("../types.js").GameModule} game
 * @param {{frame: number, eyes: number|null}} moment
 * @param {object} from where it came from
 * @param {string|null} from.record address of the record, to be saved
 * @param {boolean} from.hasAddress whether the page's address leads here again
 */
export function showReplay(root, replay, { createBoardView, guide }, moment, { record, hasAddress }) {
  const last = replay.frames.length - 1;
  let frame = Math.min(Math.max(0, moment.frame), last);
  let eyes = moment.eyes !== null && moment.eyes < replay.names.length ? moment.eyes : null;
  let speed = 1000;
  let namedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | null} */
  let playing = null;

  const table = h("div", { class: "table", id: "table" });
  const view = createBoardView(table, { names: replay.names, seat: null, rules: replay.rules, texts: replay.texts, interactive: false });
  const log = createLog(replay, guide, (to) => go(to));
  const timeline = createTimeline(replay, guide.timeline, (to) => go(to));

  const eyeButtons = [null, ...replay.names.keys()].map((seat) =>
    h("button", { type: "button", onclick: () => look(seat) }, seat === null ? "Everyone" : (replay.names[seat] ?? "")),
  );
  const playButton = h("button", { class: "play", type: "button", onclick: toggle });
  const key = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", "aria-label": label, title: label, onclick }, icon(name));
  const keys = h(
    "div",
    { class: "keys", role: "group", "aria-label": "Tape" },
    key("first", "To the start", () => go(0)),
    key("backward", "One event back", () => go(frame - 1)),
    playButton,
    key("forward", "One event on", () => go(frame + 1, true)),
    key("last", "To the end", () => go(last)),
  );
  const pace = h(
    "select",
    { class: "field", "aria-label": "Speed", onchange: () => (speed = Number(pace.value)) },
    ...SPEEDS.map(([label, ms]) => h("option", { value: ms, selected: ms === speed }, label)),
  );
  const winners = replay.standings.filter((standing) => standing.place === 1).map((standing) => standing.name);
  root.replaceChildren(
    h(
      "div",
      { class: "sub" },
      h("h1", null, replay.names.join(", ")),
      h("span", { class: "seal" }, icon("check"), "replays exactly"),
      winners.length > 0 && h("span", { class: "small" }, `${replay.title}, won by ${listed(winners)}`),
      h(
        "div",
        { class: "tools" },
        h("span", { class: "eyes" }, h("span", { id: "eyes" }, "Seen by"), h("span", { class: "seg", role: "group", "aria-labelledby": "eyes" }, ...eyeButtons)),
        hasAddress && h("button", { class: "btn ghost link", type: "button", onclick: copyLink }, "Copy link"),
        record !== null && h("a", { class: "btn ghost", href: record, download: "" }, "Save record"),
      ),
    ),
    h("div", { class: "playback" }, table, log.root),
    h("div", { class: "tape" }, keys, timeline.root, pace),
  );
  look(eyes);
  draw();
  document.addEventListener("keydown", press);

  /** @param {number} to @param {boolean} [animate] */
  function go(to, animate = false) {
    pause();
    step(to, animate);
  }

  /** @param {number} to @param {boolean} animate */
  function step(to, animate) {
    view.skip();
    frame = Math.min(Math.max(0, to), last);
    draw(animate && !wantsStillness());
  }

  /** @param {boolean} [animate] */
  function draw(animate = false) {
    const now = replay.frames[frame];
    if (!now) return;
    const shown = view.show(now.scene, now.event, { animate, viewpoint: eyes });
    if (frame === last) shown.then(() => frame === last && view.end(replay.standings));
    log.show(frame);
    timeline.show(frame);
    if (!playing || performance.now() - namedAt >= NAMED_MS) name();
    const label = playing ? "Pause" : "Play";
    playButton.setAttribute("aria-label", label);
    playButton.replaceChildren(icon(playing ? "pause" : "play"));
  }

  function name() {
    namedAt = performance.now();
    nameMoment(frame, eyes);
  }

  /** @param {number|null} seat */
  function look(seat) {
    eyes = seat;
    eyeButtons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === (seat === null ? 0 : seat + 1))));
    log.write(eyes);
    draw();
  }

  function toggle() {
    if (playing) {
      pause();
      draw();
      return;
    }
    if (frame === last) frame = 0;
    turnOver();
  }

  function turnOver() {
    playing = setTimeout(() => {
      if (frame >= last) {
        pause();
        draw();
        return;
      }
      turnOver();
      step(frame + 1, speed >= 1000);
    }, speed);
    draw();
  }

  function pause() {
    if (playing) clearTimeout(playing);
    playing = null;
  }

  /** @param {MouseEvent} event */
  async function copyLink(event) {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    name();
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      // Without a secure connection, or where it is forbidden, the page may not touch the clipboard.
      button.textContent = "It is in the address bar";
    }
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const target = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || target instanceof HTMLSelectElement) return;
    const slides = target instanceof HTMLInputElement;
    const turn = replay.turns.findLastIndex((start) => start.frame <= frame);
    /** @type {Record<string, () => void>} */
    const actions = {
      ...(target instanceof HTMLButtonElement ? {} : { " ": toggle }),
      ...(slides ? {} : { ArrowLeft: () => go(frame - 1), ArrowRight: () => go(frame + 1, true), Home: () => go(0), End: () => go(last) }),
      PageUp: () => go(replay.turns[frame > (replay.turns[turn]?.frame ?? 0) ? turn : turn - 1]?.frame ?? 0),
      PageDown: () => go(replay.turns[turn + 1]?.frame ?? last),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  return () => {
    pause();
    document.removeEventListener("keydown", press);
  };
}

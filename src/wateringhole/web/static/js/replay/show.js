// @ts-check
/** One replay: the table, the log, the timeline and the playback controls. */

import { h, icon, prefersReducedMotion } from "../dom.js";
import { rulesLines } from "../rules-text.js";
import { formatList, t } from "../text.js";
import { createReviewSection } from "../review-section.js";
import { createReview } from "../review.js";
import { sheet } from "../sheet.js";
import { createLog } from "./log.js";
import { writePosition } from "./source.js";
import { createTimeline } from "./timeline.js";

/** @typedef {import("../types.js").Replay} Replay */

/** Labels, and how many milliseconds each event is shown. */
const SPEEDS = [
  ["×½", 2000],
  ["×1", 1000],
  ["×3", 333],
  ["×10", 100],
];

/** The least time between two updates of the URL during playback, because browsers limit their rate. */
const HASH_INTERVAL_MS = 1000;

/**
 * @param {HTMLElement} root
 * @param {Replay} replay
 * @param {import("../types.js").GameModule} game
 * @param {{frame: number, viewpoint: number|null}} start
 * @param {object} source
 * @param {string|null} source.record the URL for saving the record
 * @param {string|null} source.game the ID of a stored game
 * @param {boolean} source.hasAddress whether the page's URL leads back to this replay
 */
export function showReplay(root, replay, { createBoardView, guide }, start, { record, game, hasAddress }) {
  const last = replay.frames.length - 1;
  let frame = Math.min(Math.max(0, start.frame), last);
  let viewpoint = start.viewpoint !== null && start.viewpoint < replay.names.length ? start.viewpoint : null;
  let speed = 1000;
  let hashWrittenAt = 0;
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;

  const table = h("div", { class: "table", id: "table" });
  const view = createBoardView(table, { names: replay.names, seat: null, rules: replay.rules, texts: replay.texts, interactive: false });
  const log = createLog(replay, guide, (to) => go(to));
  const timeline = createTimeline(replay, guide.timeline, (to) => go(to));

  const viewpointButtons = [null, ...replay.names.keys()].map((seat) =>
    h("button", { type: "button", onclick: () => setViewpoint(seat) }, seat === null ? t("replay.everyone") : (replay.names[seat] ?? "")),
  );
  const playButton = h("button", { class: "play", type: "button", onclick: toggle });
  const controlButton = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", "aria-label": label, title: label, onclick }, icon(name));
  const controls = h(
    "div",
    { class: "buttons", role: "group", "aria-label": t("table.playback") },
    controlButton("first", t("replay.toStart"), () => go(0)),
    controlButton("backward", t("replay.previous"), () => go(frame - 1)),
    playButton,
    controlButton("forward", t("replay.next"), () => go(frame + 1, true)),
    controlButton("last", t("replay.toEnd"), () => go(last)),
  );
  const speedSelect = h(
    "select",
    { class: "field", "aria-label": t("playback.speed"), onchange: () => (speed = Number(speedSelect.value)) },
    ...SPEEDS.map(([label, ms]) => h("option", { value: ms, selected: ms === speed }, label)),
  );
  const winners = replay.standings.filter((standing) => standing.place === 1).map((standing) => standing.name);
  root.replaceChildren(
    h(
      "div",
      { class: "sub" },
      h("h1", null, replay.names.join(", ")),
      h("span", { class: "verified", title: replay.commitment?.digest ?? null }, icon("check"), replay.commitment ? t("replay.committed") : t("replay.exact")),
      winners.length > 0 && h("span", { class: "small" }, t("replay.wonBy", { game: replay.title, names: formatList(winners) })),
      h("span", { class: "small quiet rules" }, rulesLines(replay.game, replay.chosen).join(" · ")),
      h(
        "div",
        { class: "tools" },
        h("span", { class: "viewpoint" }, h("span", { id: "viewpoint" }, t("replay.viewpoint")), h("span", { class: "seg", role: "group", "aria-labelledby": "viewpoint" }, ...viewpointButtons)),
        (replay.analysis || game !== null) && h("button", { class: "btn ghost", type: "button", "aria-haspopup": "dialog", onclick: openReview }, t("review.open")),
        hasAddress && h("button", { class: "btn ghost", type: "button", onclick: copyLink }, t("replay.copyLink")),
        hasAddress && typeof navigator.share === "function" && h("button", { class: "btn ghost", type: "button", onclick: shareLink }, t("replay.share")),
        record !== null && h("a", { class: "btn ghost", href: record, download: "" }, t("replay.save")),
      ),
    ),
    h("div", { class: "playback" }, table, log.root),
    h("div", { class: "controls" }, controls, timeline.root, speedSelect),
  );
  setViewpoint(viewpoint);
  draw();
  document.addEventListener("keydown", onKey);

  /** Opens the turning points beside the table; those of a stored game are computed on demand. */
  function openReview() {
    const jump = (/** @type {number} */ to, /** @type {number} */ seat) => {
      setViewpoint(seat);
      go(to);
    };
    const seat = viewpoint ?? replay.analysis?.lines[0]?.seat ?? null;
    const { analysis, game: kind, names } = replay;
    const content = analysis ? createReview({ analysis, kind, names, seat: seat ?? 0, isMine: false, jump }) : createReviewSection({ game: game ?? "", kind, names, seat, startsAtOnce: true, jump });
    sheet("review", t("review.title"), [content]).show();
  }

  /** @param {number} to @param {boolean} [animate] */
  function go(to, animate = false) {
    pause();
    step(to, animate);
  }

  /** @param {number} to @param {boolean} animate */
  function step(to, animate) {
    view.skip();
    frame = Math.min(Math.max(0, to), last);
    draw(animate && !prefersReducedMotion());
  }

  /** @param {boolean} [animate] */
  function draw(animate = false) {
    const now = replay.frames[frame];
    if (!now) return;
    const shown = view.show(now.scene, now.event, { animate, viewpoint });
    if (frame === last) shown.then(() => frame === last && view.showResult(replay.standings));
    log.show(frame);
    timeline.show(frame);
    if (!timer || performance.now() - hashWrittenAt >= HASH_INTERVAL_MS) updateHash();
    const label = timer ? t("playback.pause") : t("playback.play");
    playButton.setAttribute("aria-label", label);
    playButton.replaceChildren(icon(timer ? "pause" : "play"));
  }

  function updateHash() {
    hashWrittenAt = performance.now();
    writePosition(frame, viewpoint);
  }

  /** @param {number|null} seat */
  function setViewpoint(seat) {
    viewpoint = seat;
    viewpointButtons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === (seat === null ? 0 : seat + 1))));
    log.write(viewpoint);
    draw();
  }

  function toggle() {
    if (timer) {
      pause();
      draw();
      return;
    }
    if (frame === last) frame = 0;
    scheduleNext();
  }

  function scheduleNext() {
    timer = setTimeout(() => {
      if (frame >= last) {
        pause();
        draw();
        return;
      }
      scheduleNext();
      step(frame + 1, speed >= 1000);
    }, speed);
    draw();
  }

  function pause() {
    if (timer) clearTimeout(timer);
    timer = null;
  }

  /** Opens the system's dialog for sharing; closing it is no error. */
  function shareLink() {
    updateHash();
    navigator.share({ title: document.title, url: location.href }).catch(() => {});
  }

  /** @param {MouseEvent} event */
  async function copyLink(event) {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    updateHash();
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = t("replay.copied");
    } catch {
      // Without a secure connection or permission, the page has no access to the clipboard.
      button.textContent = t("replay.copyByHand");
    }
    setTimeout(() => (button.textContent = t("replay.copyLink")), 2000);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
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
    document.removeEventListener("keydown", onKey);
  };
}

// @ts-check
/**
 * The coach: hints in three levels, one warning before a costly answer, and the steps of a guided first game. The game's
 * own module says what a remark means and what it is about; this module knows no game.
 */

import { initialCoach, LEVELS, reduceCoach, wantsCheck } from "./coach-state.js";
import { byId, h, icon, setText } from "./dom.js";
import { patchChildren } from "./patch.js";
import { loadPreference, savePreference } from "./preferences.js";
import { formatPercent, language, t } from "./text.js";

/** @typedef {import("./coach-state.js").CoachAction} CoachAction */
/** @typedef {import("./types.js").GameCoach} GameCoach */
/** @typedef {import("./types.js").Lesson} Lesson */
/** @typedef {import("./types.js").PageMessage} PageMessage */
/** @typedef {import("./types.js").TableInfo} TableInfo */

const PREFERENCE = "coach";
/** An answer does not wait longer for the coach, in milliseconds. */
const PATIENCE_MS = 4000;

/** Returns whether the user wants a coach, in games that have one. */
export const isCoachOn = () => loadPreference(PREFERENCE) !== "off";

/**
 * @param {object} page
 * @param {(message: PageMessage) => boolean} page.send
 * @param {(text: string) => void} page.announce
 * @param {() => any} page.progress what the user has done so far about the open request
 */
export function createCoach({ send, announce, progress }) {
  const panel = byId("coach");
  const strip = byId("lesson");
  const toggle = byId("coach-button");
  const toggleWord = h("span", { class: "coach-word" });
  toggle.replaceChildren(icon("coach"), toggleWord);
  const hintButton = byId("hint-button");
  const table = byId("table");
  let state = initialCoach(isCoachOn());
  /** @type {GameCoach | null} */
  let game = null;
  /** @type {string[]} */
  let names = [];
  let seat = 0;
  let isAvailable = false;
  /** Whether the steps of a first game are shown. */
  let isGuided = false;
  /** @type {import("./types.js").RequestMessage | null} */
  let request = null;
  /** @type {((answer: any) => boolean) | null} */
  let sendAnswer = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** The element that had the focus before a warning took it. @type {HTMLElement | null} */
  let focused = null;
  /** What is drawn, to draw it only once. */
  let drawn = "";
  /** @type {Element | null} */
  let lit = null;

  /** @param {CoachAction} action */
  function dispatch(action) {
    state = reduceCoach(state, action);
    draw();
  }

  function draw() {
    toggle.hidden = !isAvailable;
    toggle.setAttribute("aria-pressed", String(state.isOn));
    setText(toggleWord, state.isOn ? t("coach.on") : t("coach.off"));
    hintButton.hidden = !isAvailable || !state.isOn || state.id === null;
    const lesson = currentLesson();
    drawStrip(lesson);
    const content = warningContent() ?? hintContent() ?? lessonContent(lesson);
    const key = JSON.stringify([state.warning, state.level, state.hint, lesson?.title, lesson?.text]);
    light(state.warning || state.level ? subject() : (lesson?.light ?? null));
    if (key === drawn) return;
    drawn = key;
    const hadFocus = panel.contains(document.activeElement);
    panel.hidden = !content;
    patchChildren(panel, content ?? []);
    const keepsFocus = document.activeElement !== panel && panel.contains(document.activeElement);
    if (hadFocus && content && !keepsFocus) (panel.querySelector("button") ?? panel).focus();
    panel.classList.toggle("warning", state.warning !== null);
    document.body.classList.toggle("with-coach", content !== null);
  }

  /* ---- the guided first game ---- */

  /** @returns {Lesson | null} */
  function currentLesson() {
    if (!isGuided || !game || !request || state.id === null) return null;
    return game.lesson({ request, progress: progress(), seat });
  }

  /** @param {Lesson | null} lesson */
  function drawStrip(lesson) {
    strip.hidden = !isGuided;
    if (!lesson) return;
    const { step, steps } = lesson;
    const dots = Array.from({ length: steps }, (_, index) => h("i", { class: index < step ? "on" : null }));
    const title = t("first.step", { step, steps });
    if (strip.firstElementChild?.textContent === title) return;
    strip.replaceChildren(
      h("b", null, title),
      h("span", { class: "dots", "aria-hidden": "true" }, ...dots),
      h("button", { class: "btn", type: "button", onclick: playAlone }, t("first.alone")),
    );
  }

  function playAlone() {
    isGuided = false;
    draw();
    table.focus({ preventScroll: true });
  }

  /** @param {Lesson | null} lesson */
  function lessonContent(lesson) {
    if (!lesson) return null;
    announce(`${lesson.title}. ${lesson.text}`);
    return [head(lesson.title, t("first.short", { step: lesson.step, steps: lesson.steps })), h("p", null, lesson.text)];
  }

  /* ---- hints ---- */

  function next() {
    if (!isAvailable || !state.isOn || state.id === null || state.warning) return;
    const before = state.level;
    dispatch({ type: "next" });
    if (state.level !== before) send({ type: "hint", id: state.id, level: state.level, language });
  }

  function close() {
    const hadFocus = panel.contains(document.activeElement);
    dispatch({ type: "close" });
    if (hadFocus) hintButton.focus();
  }

  function hintContent() {
    const { hint, level } = state;
    if (!level || !game) return null;
    if (!hint) return [head(t("coach.thinks"), t("coach.level", { level, levels: LEVELS }))];
    const { title, look, why } = game.explain(hint.remark, names, seat);
    const move = hint.move;
    const lines = [h("p", null, level === 1 ? look : level === 2 ? why : moveText(move))];
    if (level === LEVELS && move) {
      if (move.chance !== null) lines.push(h("p", { class: "small" }, t("coach.chance", { chance: formatPercent(move.chance) })));
      else if (hint.is_ready === false) lines.push(h("p", { class: "small" }, t("coach.gettingReady")));
    }
    announce(lines.map((line) => line.textContent).join(" "));
    return [
      head(title, t("coach.level", { level, levels: LEVELS })),
      h("div", { class: "levels", "aria-hidden": "true" }, ...Array.from({ length: LEVELS }, (_, index) => h("i", { class: index < level ? "on" : null }))),
      ...lines,
      h(
        "div",
        { class: "actions" },
        level < LEVELS && h("button", { class: "btn", type: "button", onclick: next }, level === 1 ? t("coach.why") : t("coach.move")),
        h("button", { class: "btn ghost", type: "button", onclick: close }, t("coach.close")),
      ),
    ];
  }

  /** @param {import("./types.js").AdvisedMove | null | undefined} move */
  const moveText = (move) => (move ? t("coach.would", { player: move.player, move: move.text }) : t("coach.noMove"));

  /* ---- warnings ---- */

  /** Holds an answer until the coach has looked at it. @param {any} answer @returns {boolean} whether it waits */
  function hold(answer) {
    if (!isAvailable || isGuided || !wantsCheck(state) || !send({ type: "check", id: state.id, answer, language })) return false;
    dispatch({ type: "hold", answer });
    timer = setTimeout(release, PATIENCE_MS);
    return true;
  }

  /** Sends the answer that waits. */
  function release() {
    clearTimeout(timer);
    const held = state.held;
    dispatch({ type: "release" });
    if (held) sendAnswer?.(held.answer);
  }

  function change() {
    dispatch({ type: "close" });
    focused?.focus();
  }

  function warningContent() {
    const { warning } = state;
    if (!warning || !game) return null;
    const { why } = game.explain(warning.remark, names, seat);
    const { before, anyway } = game.warning(warning.remark);
    const rows = warning.options.map(({ text, chance, error, mine }) =>
      h(
        "li",
        { class: mine ? "mine" : null },
        h("span", null, mine ? t("coach.asNow", { move: text }) : text),
        h("i", { class: "share", style: { "--share": `${100 * chance}%` }, "aria-hidden": "true" }),
        h("b", { class: "num" }, formatPercent(chance), error > 0 && h("small", null, ` ± ${formatPercent(error)}`)),
      ),
    );
    return [
      head(before, warning.games ? t("coach.imagined", { count: warning.games }) : ""),
      h("p", { id: "coach-warning" }, why),
      h("p", { class: "small" }, t("coach.chances")),
      h("ul", { class: "options" }, ...rows),
      h(
        "div",
        { class: "actions" },
        h("button", { class: "btn primary", type: "button", "aria-describedby": "coach-warning", onclick: change }, t("coach.change")),
        h("button", { class: "btn", type: "button", onclick: release }, anyway),
      ),
    ];
  }

  /* ---- parts of the panel ---- */

  /** @param {string} title @param {string} note */
  const head = (title, note) => h("header", null, icon("coach"), h("h2", null, title), h("span", { class: "small" }, note));

  /** Returns the selector of what the coach speaks about. */
  function subject() {
    const remark = state.warning?.remark ?? state.hint?.remark;
    return remark && game ? game.locate(remark.subject, seat) : null;
  }

  /** Marks one element of the table. @param {string | null} selector */
  function light(selector) {
    const found = selector ? table.querySelector(selector) : null;
    if (found !== lit) lit?.classList.remove("coach-lit");
    if (found && !found.classList.contains("coach-lit")) found.classList.add("coach-lit");
    if (found && found !== lit && isGuided) found.scrollIntoView({ block: "nearest", inline: "nearest" });
    lit = found;
  }

  // The game's view redraws its elements by itself; the mark follows.
  new MutationObserver(() => {
    if (state.id !== null) draw();
  }).observe(table, { childList: true, subtree: true, attributes: true, attributeFilter: ["class", "hidden", "aria-pressed"] });
  toggle.addEventListener("click", flip);

  function flip() {
    dispatch({ type: "toggle" });
    savePreference(PREFERENCE, state.isOn ? "on" : "off");
  }

  hintButton.addEventListener("click", next);

  return {
    /** Starts a game with the coach of the game's module. @param {GameCoach | undefined} found @param {string[]} given @param {number | null} mine */
    start(found, given, mine) {
      game = found ?? null;
      names = given;
      seat = mine ?? 0;
    },
    /** @param {TableInfo} info */
    update(info) {
      const isFirst = !isAvailable && info.coach;
      isAvailable = Boolean(info.coach) && game !== null && seat !== null;
      if (isFirst) isGuided = Boolean(info.first_game);
      draw();
    },
    /** @param {import("./types.js").RequestMessage} asked @param {(answer: any) => boolean} answer */
    ask(asked, answer) {
      request = asked;
      sendAnswer = answer;
      dispatch({ type: "asked", id: asked.id });
      if (isAvailable && state.isOn && !isGuided) send({ type: "coach", id: asked.id });
    },
    hold,
    /** Creates another button that turns the coach on and off, because a phone's header has no room; none without a coach. */
    createButtons() {
      if (!isAvailable) return [];
      const label = () => (state.isOn ? t("coach.on") : t("coach.off"));
      const button = h("button", { class: "btn ghost", type: "button", "aria-pressed": String(state.isOn), onclick: press }, label());
      function press() {
        flip();
        button.setAttribute("aria-pressed", String(state.isOn));
        setText(button, label());
      }
      return [button];
    },
    stop() {
      clearTimeout(timer);
      request = null;
      dispatch({ type: "done" });
      if (!panel.hidden) panel.hidden = true;
    },
    /** Ends the guide and the hints when the game is over. */
    end() {
      isGuided = isAvailable = false;
      dispatch({ type: "done" });
    },
    /** Handles a message of the server; returns whether it was for the coach. @param {{type: string, [field: string]: any}} message */
    receive(message) {
      if (message.type !== "hint" && message.type !== "check") return false;
      dispatch(/** @type {CoachAction} */ (message));
      if (message.type === "check" && state.held) {
        if (!state.warning) release();
        else {
          clearTimeout(timer);
          focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
          /** @type {HTMLElement | null} */ (panel.querySelector(".primary"))?.focus();
        }
      }
      return true;
    },
    /** @param {string} key @returns {boolean} whether it had a meaning */
    handleKey(key) {
      if (key.toLowerCase() === "h" && !hintButton.hidden) next();
      else if (key === "Escape" && state.warning) change();
      else if (key === "Escape" && state.level) close();
      else return false;
      return true;
    },
  };
}

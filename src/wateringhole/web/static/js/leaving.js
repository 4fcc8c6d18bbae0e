// @ts-check
/** Leaving a table: the page asks first, and says what it costs. */

import { h } from "./dom.js";
import { sheet } from "./sheet.js";
import { costOfLeaving } from "./table-state.js";
import { t } from "./text.js";

/** @typedef {import("./table-state.js").TableState} TableState */

/**
 * Asks before the user leaves by a link or a button of this page. The browser itself asks before it closes the tab.
 * @param {() => TableState} current
 * @param {(destination: string, givesUp: boolean) => void} leave
 * @returns {(destination?: string) => void} opens the dialog
 */
export function createLeaving(current, leave) {
  let isLeaving = false;

  /** @param {string} destination @param {boolean} givesUp */
  function go(destination, givesUp) {
    isLeaving = true;
    leave(destination, givesUp);
  }

  function ask(destination = "/") {
    const cost = costOfLeaving(current());
    if (!cost) return go(destination, false);
    const close = () => dialog.close();
    const texts = TEXTS[cost]();
    const time = formatDuration(current().table?.reconnect_seconds ?? 0);
    const dialog = sheet("leaving", t("leave.title"), [h("p", null, texts.body(time))], {
      actions: [
        h("button", { class: "btn primary", type: "button", autofocus: true, onclick: close }, t("leave.stay")),
        h("button", { class: "btn", type: "button", onclick: () => go(destination, false) }, t("leave.keep")),
        h("button", { class: "btn ghost", type: "button", onclick: () => go(destination, true) }, texts.giveUp),
      ],
    });
    dialog.classList.add("question");
    dialog.showModal();
  }

  document.addEventListener("click", (event) => {
    const link = /** @type {HTMLElement} */ (event.target).closest("a");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || link.target || link.download) return;
    const isHere = link.pathname === location.pathname && link.hash !== "";
    if (isHere || !costOfLeaving(current())) return;
    event.preventDefault();
    ask(link.href);
  });
  addEventListener("beforeunload", (event) => {
    if (!isLeaving && costOfLeaving(current()) === "game") event.preventDefault();
  });
  return ask;
}

const TEXTS = {
  seat: () => ({ body: () => t("leave.beforeGame"), giveUp: t("leave.freeSeat") }),
  game: () => ({ body: (/** @type {string} */ time) => t("leave.duringGame", { time }), giveUp: t("leave.giveUp") }),
};

/** @param {number} seconds */
const formatDuration = (seconds) => (seconds < 120 ? t("time.seconds", { count: Math.round(seconds) }) : t("time.minutes", { count: Math.round(seconds / 60) }));

// @ts-check
/** Emotes: a few short messages between players, shown next to the sender's seat for some seconds. */

import { byId, h, icon, setText } from "./dom.js";
import { t } from "./text.js";

/** @typedef {import("./table-state.js").TableState} TableState */
/** @typedef {import("./table-state.js").UserAction} UserAction */
/** @typedef {import("./types.js").Emote} Emote */

/** @type {Emote[]} */
const EMOTES = ["hello", "good_luck", "well_played", "wow", "oops", "thanks", "thinking", "good_game"];

/** How long an emote is shown. */
const SHOWN_MS = 5000;
/** The pause between two emotes of the user. The server's limit is the same. */
const PAUSE_MS = 2000;

/** @param {Emote} emote */
export const emoteText = (emote) => t(`emote.${emote}`);

/**
 * @param {HTMLElement} table
 * @param {(emote: Emote) => void} send
 * @param {(action: UserAction) => void} dispatch
 */
export function createEmotes(table, send, dispatch) {
  const button = byId("emote-button");
  const menu = byId("emotes");
  button.append(icon("call"));
  const buttons = EMOTES.map((emote) => h("button", { class: "btn", type: "button", onclick: () => choose(emote) }, emoteText(emote)));
  const choices = h("div", { class: "phrases", role: "group", "aria-label": t("emote.title") }, ...buttons);
  const mute = h("button", { class: "btn ghost", type: "button", onclick: () => dispatch({ type: "mute", isMuted: mute.getAttribute("aria-pressed") !== "true" }) });
  menu.append(choices, mute);
  /** The emote shown for each seat. @type {Map<number, HTMLElement>} */
  const shown = new Map();

  /** @param {Emote} emote */
  function choose(emote) {
    send(emote);
    menu.hidePopover();
    button.focus();
    for (const each of buttons) each.disabled = true;
    setTimeout(() => buttons.forEach((each) => (each.disabled = false)), PAUSE_MS);
  }

  return {
    /** @param {TableState} state */
    update({ game, seat, table: info, isMuted }) {
      button.hidden = !game;
      choices.hidden = seat === null || Boolean(info?.seats[seat]?.out);
      setText(mute, isMuted ? t("emote.unmute") : t("emote.mute"));
      mute.setAttribute("aria-pressed", String(isMuted));
    },
    /** Shows an emote next to a seat. The log announces it. @param {number} seat @param {Emote} emote @param {Element | null} anchor */
    show(seat, emote, anchor) {
      shown.get(seat)?.remove();
      if (!anchor) return;
      const bubble = h("div", { class: "emote", "aria-hidden": "true" }, emoteText(emote));
      table.append(bubble);
      shown.set(seat, bubble);
      const around = table.getBoundingClientRect();
      const at = anchor.getBoundingClientRect();
      const left = Math.min(Math.max(at.left - around.left, 4), around.width - bubble.offsetWidth - 4);
      const top = Math.max(at.top - around.top - bubble.offsetHeight - 4, 4);
      bubble.style.setProperty("left", `${left}px`);
      bubble.style.setProperty("top", `${top}px`);
      setTimeout(() => bubble.remove(), SHOWN_MS);
    },
  };
}

// @ts-check
/** Removing players from a table that was opened in this browser. */

import { ownerToken, post, replaceCode } from "./api.js";
import { h } from "./dom.js";
import { sheet } from "./sheet.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").SeatInfo} SeatInfo */

/**
 * Returns whether I may remove the player at a seat: I opened the table, and the player is neither me nor a bot.
 * @param {string} table @param {SeatInfo} seat @param {number | null} mySeat
 */
export const canRemove = (table, seat, mySeat) =>
  ownerToken(table) !== null && seat.taken && seat.kind !== "bot" && seat.seat !== mySeat && !seat.out;

/** Creates the button that removes a player after a confirmation. @param {string} table @param {SeatInfo} seat */
export function removeButton(table, seat) {
  const open = () => confirmRemoval(table, seat);
  return h("button", { class: "btn ghost", type: "button", id: `remove-${seat.key}`, "aria-haspopup": "dialog", "aria-label": t("removal.of", { name: seat.name }), onclick: open }, t("removal.button"));
}

/** Creates the list of players whom I may remove during the game, or null. @param {string} table @param {SeatInfo[]} seats @param {number | null} mySeat */
export function removalSection(table, seats, mySeat) {
  const removable = seats.filter((seat) => canRemove(table, seat, mySeat));
  if (!removable.length) return null;
  const items = removable.map((seat) => h("li", { class: "taken" }, h("b", null, seat.name), removeButton(table, seat)));
  return h("section", { class: "help" }, h("h3", null, t("removal.players")), h("ul", { class: "seat-list" }, items));
}

/** @param {string} table @param {SeatInfo} seat */
function confirmRemoval(table, { seat, key, name }) {
  const ban = h("input", { type: "checkbox" });
  const alert = h("p", { class: "small error", role: "alert" });
  async function remove() {
    try {
      const removed = await post(`/api/tables/${table}/remove`, { token: ownerToken(table), seat, ban: ban.checked });
      replaceCode(key, removed);
      dialog.close();
      document.dispatchEvent(new Event("removed"));
    } catch (error) {
      alert.textContent = error instanceof Error ? error.message : String(error);
    }
  }
  const keepButton = h("button", { class: "btn ghost", type: "button", autofocus: true, onclick: () => dialog.close() }, t("removal.cancel"));
  const confirmButton = h("button", { class: "btn primary", type: "button", onclick: remove }, t("removal.confirm"));
  const body = [
    h("p", null, t("removal.explained")),
    h("label", null, ban, " ", t("removal.ban")),
    alert,
  ];
  const dialog = sheet("removal", t("removal.title", { name }), body, { actions: [confirmButton, keepButton] });
  dialog.showModal();
}

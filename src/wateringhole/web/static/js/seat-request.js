// @ts-check
/** Asking the host of a waiting table for a seat, and the host's answer; also what a used invitation offers. */

import { UserFacingError, get, myName, ownerToken, post, saveMyName } from "./api.js";
import { h, setText } from "./dom.js";
import { patchChildren } from "./patch.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").SeatRequestMessage} SeatRequestMessage */
/** @typedef {import("./types.js").TableInfo} TableInfo */

/** Returns the name with which this tab asks for a seat, or null. @param {string} table */
export const askingName = (table) => sessionStorage.getItem(`asking:${table}`);

/** @param {string} table @param {string} name */
export const startAsking = (table, name) => sessionStorage.setItem(`asking:${table}`, name);

/** @param {string} table */
export const stopAsking = (table) => sessionStorage.removeItem(`asking:${table}`);

/** Returns whether the seat of an invitation is still free. @param {string} table @param {string} invitation @returns {Promise<boolean>} */
export async function isInvitationOpen(table, invitation) {
  try {
    return (await post(`/api/tables/${table}/invitation`, { invitation })).is_open;
  } catch (error) {
    if (error instanceof UserFacingError) return true;
    throw error;
  }
}

/** Shows that an invitation has been used, and what to do instead. @param {HTMLElement} root @param {string} id */
export async function showUsedInvitation(root, id) {
  const table = /** @type {TableInfo} */ (await get(`/api/tables/${id}`));
  const link = `/table/${encodeURIComponent(id)}`;
  const isWaiting = table.state === "waiting";
  const form = askForm((name) => {
    startAsking(id, name);
    location.replace(link);
  });
  const names = table.seats.filter(({ taken }) => taken).map(({ name }) => h("li", { class: "taken" }, h("b", null, name)));
  const actions = h("div", { class: "actions" }, h("a", { class: "btn", href: link }, t("invitation.watch")), h("a", { class: "btn", href: "/" }, t("invitation.newTable")));
  root.replaceChildren(
    h(
      "section",
      { class: "waiting paper", "aria-label": t("invitation.used") },
      h("h2", { tabindex: "-1" }, t("invitation.used")),
      h("p", null, isWaiting ? t("invitation.usedWaiting", { game: table.title }) : t("invitation.usedPlaying", { game: table.title })),
      h("ul", { class: "seat-list" }, names),
      isWaiting && form,
      actions,
    ),
  );
}

/** Creates the form that asks for a seat. @param {(name: string) => void} ask */
function askForm(ask) {
  const name = h("input", { class: "field", name: "name", required: true, maxlength: 30, value: myName(), autocomplete: "nickname" });
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    saveMyName(name.value.trim());
    ask(name.value.trim());
  }
  return h(
    "form",
    { class: "seat-form", onsubmit: submit },
    h("label", null, h("span", null, t("invitation.name")), name),
    h("button", { class: "btn primary", type: "submit" }, t("seatRequest.ask")),
  );
}

/**
 * Creates the part of the waiting room about requests for seats. It stays the same element when the room is redrawn.
 * @param {(name: string) => void} ask
 */
export function createSeatRequests(ask) {
  const root = h("section", { class: "waiting paper requests" });
  const form = askForm(ask);
  const alert = h("p", { class: "small error", role: "alert" });
  let drawn = "";

  return {
    /**
     * Draws the requests for the host, or the form and its state for a spectator.
     * @param {HTMLElement} room
     * @param {TableInfo} table
     * @param {boolean} mayAsk whether this spectator has to ask, because there is no seat to take
     * @param {SeatRequestMessage | null} mine
     */
    show(room, table, mayAsk, mine) {
      const focused = document.activeElement;
      const isHost = ownerToken(table.id) !== null;
      root.setAttribute("aria-label", isHost ? t("seatRequest.title") : t("seatRequest.ask"));
      const key = JSON.stringify([table.seat_requests, table.seats, mayAsk, mine]);
      if (key !== drawn) patchChildren(root, isHost ? hostParts(table, alert) : mayAsk ? visitorParts(mine) : []);
      drawn = key;
      if (!root.childElementCount || table.state !== "waiting") return root.remove();
      room.append(root);
      if (focused instanceof HTMLElement && root.contains(focused)) focused.focus();
    },
  };

  /** @param {SeatRequestMessage | null} mine */
  function visitorParts(mine) {
    if (mine?.state === "waiting") return [h("p", { role: "status" }, t("seatRequest.waiting"))];
    if (mine?.state === "declined") return [h("p", { role: "status" }, t("seatRequest.declined"))];
    return [h("h2", null, t("seatRequest.ask")), form];
  }
}

/** @param {TableInfo} table @param {HTMLElement} alert */
function hostParts(table, alert) {
  if (!table.seat_requests.length) return [];
  /** @param {number} request @param {boolean} accept */
  async function answer(request, accept) {
    try {
      setText(alert, "");
      await post(`/api/tables/${table.id}/seat-request`, { token: ownerToken(table.id), request, accept });
    } catch (error) {
      alert.textContent = error instanceof Error ? error.message : String(error);
    }
  }
  const hasFree = table.seats.some(({ kind, taken }) => kind === "person" && !taken);
  const bot = table.seats.findLast(({ kind }) => kind === "bot")?.name;
  const label = hasFree || !bot ? t("seatRequest.accept") : t("seatRequest.replace", { bot });
  const items = table.seat_requests.map(({ id, name }) =>
    h(
      "li",
      { "data-key": id },
      h("b", null, t("seatRequest.from", { name })),
      h("span", { class: "actions" },
        h("button", { class: "btn primary", type: "button", "aria-label": t("seatRequest.acceptName", { name }), onclick: () => answer(id, true) }, label),
        h("button", { class: "btn ghost", type: "button", "aria-label": t("seatRequest.declineName", { name }), onclick: () => answer(id, false) }, t("seatRequest.decline"))),
    ),
  );
  return [h("h2", null, t("seatRequest.title")), h("ul", { class: "seat-list", role: "list" }, items), alert];
}

// @ts-check
/** What a table page shows without a game or a waiting room: an invitation, or that the table is closed. */

import { UserFacingError, forgetSeat, get, myName, post, saveMyName, saveSeatToken } from "./api.js";
import { h, icon, setText } from "./dom.js";
import { foldedPictures } from "./pictures.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").ByeMessage} ByeMessage */
/** @typedef {import("./types.js").TableInfo} TableInfo */

/** @param {HTMLElement} root @param {string} table @param {string | null} invitation */
export async function showInvitation(root, table, invitation) {
  const title = h("h2", null, t("invitation.title"));
  const seats = h("ul", { class: "seat-list" });
  root.replaceChildren(h("section", { class: "waiting paper", "aria-label": t("invitation.label") }, title, seats, seatForm(table, invitation)));
  try {
    const { title: game, seats: all, pictures } = /** @type {TableInfo} */ (await get(`/api/tables/${table}`));
    setText(title, t("invitation.to", { game }));
    seats.replaceChildren(...all.map((seat) => seatItem(seat)));
    const explanation = await foldedPictures(pictures);
    if (explanation) title.after(explanation);
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    // Any other error is shown when the user tries to take the seat.
    if (error.status === 404) showClosed(root, { type: "bye", reason: error.message, final: true }, null);
  }
}

/** @param {HTMLElement} root @param {ByeMessage} bye @param {string | null} seated the table where I expected to have a seat */
export function showClosed(root, { reason, final, game_id }, seated) {
  if (!final) return;
  const watch = () => {
    if (seated) forgetSeat(seated);
    location.reload();
  };
  const actions = [
    game_id && h("a", { class: "btn primary", href: `/replay/${game_id}` }, t("result.replay")),
    seated && !game_id && h("button", { class: "btn", type: "button", onclick: watch }, t("closed.watch")),
    h("a", { class: "btn", href: "/" }, t("closed.lobby")),
  ];
  const content = [h("h2", null, reason), h("div", { class: "actions" }, actions)];
  root.replaceChildren(h("section", { class: "waiting paper", "aria-label": t("closed.label") }, content));
}

/** @param {import("./types.js").SeatInfo} seat */
function seatItem(seat) {
  const { taken, name, kind, here, remote } = seat;
  return h(
    "li",
    { class: taken ? "taken" : "free" },
    icon(taken ? "paw" : "plus"),
    h("b", null, taken ? name : kind === "program" ? t("room.program") : t("newTable.friend")),
    h("span", { class: "small quiet" }, !taken ? t("room.free") : kind === "bot" ? t("player.bot") : !here ? t("player.away") : remote ? t("room.connected") : t("room.here")),
  );
}

/**
 * Creates a form to take a seat; the page reloads with the seat's token.
 * @param {string} table
 * @param {string | null} invitation
 */
export function seatForm(table, invitation) {
  const name = h("input", { class: "field", name: "name", required: true, maxlength: 30, value: myName() });
  const alert = h("p", { class: "small error", role: "alert" });
  const form = h(
    "form",
    { class: "seat-form", onsubmit: submit },
    h("label", null, h("span", null, t("name.title")), name),
    h("button", { class: "btn primary", type: "submit" }, t("lobby.sitDown")),
    alert,
  );
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    try {
      saveMyName(name.value.trim());
      const seat = await post(`/api/tables/${table}/seat`, { name: name.value.trim(), ...(invitation ? { invitation } : {}) });
      saveSeatToken(table, seat.token);
      location.replace(`/table/${table}`);
    } catch (error) {
      alert.textContent = error instanceof Error ? error.message : String(error);
    }
  }
  return form;
}

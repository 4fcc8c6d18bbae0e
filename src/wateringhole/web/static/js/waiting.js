// @ts-check
/** What a table page shows without a game: the waiting room, an invitation, or that the table is closed. */

import { UserFacingError, forgetSeat, get, joinAddress, myName, post, saveMyName, saveSeatToken, seatCodes } from "./api.js";
import { h, icon, setText } from "./dom.js";
import { canRemove, removeButton } from "./moderation.js";
import { foldedPictures } from "./pictures.js";
import { rulesLines } from "./rules-text.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").ByeMessage} ByeMessage */
/** @typedef {import("./types.js").TableInfo} TableInfo */

/**
 * Shows the seats, the invitation links, and a form for a visitor who wants to take a free seat.
 * @param {HTMLElement} root
 * @param {TableInfo} table
 * @param {boolean} isSeated
 * @param {number | null} mySeat
 * @param {() => void} leave
 */
export function showWaiting(root, table, isSeated, mySeat, leave) {
  const free = table.seats.filter((seat) => !seat.taken);
  const codes = seatCodes(table.id);
  /** @param {string} kind @returns {string[]} */
  const codesFor = (kind) => free.filter((seat) => seat.kind === kind).flatMap(({ seat }) => codes[seat] ?? []);
  /** @param {string} code @param {string} player */
  const joinCommand = (code, player) => `wateringhole join ${joinAddress(table.id)}/${code} ${player}`;
  const friends = codesFor("person");
  const programs = codesFor("program");
  root.replaceChildren(
    h(
      "section",
      { class: "waiting paper", "aria-label": t("room.title") },
      h("h2", null, table.title || t("room.title")),
      h("p", null, free.length ? t("room.waiting", { count: free.length }) : t("room.full"), " ", t("room.start"), " ", table.public ? t("room.public") : t("room.private")),
      h("p", { class: "small quiet" }, rulesLines(table.game, table.chosen).join(" · ")),
      h("ul", { class: "seat-list" }, table.seats.map((seat) => seatItem(seat, canRemove(table.id, seat, mySeat) && removeButton(table.id, seat)))),
      friends.length > 0 &&
        h(
          "div",
          { class: "invitations" },
          h("h3", null, t("room.links")),
          ...friends.map((code) => copyField(t("room.link"), new URL(`/table/${table.id}#invite=${code}`, location.href).href)),
          h("details", null, h("summary", null, t("room.orTerminal")), ...friends.map((code) => copyField(t("room.terminal"), joinCommand(code, "human")))),
        ),
      programs.length > 0 &&
        h("div", { class: "invitations" }, h("h3", null, t("room.programs")), ...programs.map((code) => copyField(t("room.command"), joinCommand(code, "mine.py:Mine")))),
      !isSeated && free.some(({ kind }) => kind === "person") && table.public && seatForm(table.id, null),
      isSeated && h("div", { class: "actions" }, h("button", { class: "btn ghost", type: "button", onclick: leave }, t("room.leave"))),
    ),
  );
}

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

/** @param {import("./types.js").SeatInfo} seat @param {HTMLElement | false} [action] */
function seatItem(seat, action = false) {
  const { taken, name, kind, here, remote } = seat;
  return h(
    "li",
    { class: taken ? "taken" : "free" },
    icon(taken ? "paw" : "plus"),
    h("b", null, taken ? name : kind === "program" ? t("room.program") : t("newTable.friend")),
    h("span", { class: "small quiet" }, !taken ? t("room.free") : kind === "bot" ? t("player.bot") : !here ? t("player.away") : remote ? t("room.connected") : t("room.here")),
    action,
  );
}

/** @param {string} label @param {string} text */
function copyField(label, text) {
  const select = () => field.select();
  const field = h("input", { class: "field", readonly: true, value: text, "aria-label": label, onfocus: select });
  const button = h("button", { class: "btn", type: "button", onclick: copy }, t("copy.button"));
  const status = h("span", { class: "small", role: "status" });
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = t("copy.done");
    } catch {
      // Without a secure connection the page has no access to the clipboard, but the user does.
      field.select();
      status.textContent = t("copy.byHand");
    }
  }
  return h("div", { class: "invitation" }, field, button, status);
}

/**
 * Creates a form to take a seat; the page reloads with the seat's token.
 * @param {string} table
 * @param {string | null} invitation
 */
function seatForm(table, invitation) {
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

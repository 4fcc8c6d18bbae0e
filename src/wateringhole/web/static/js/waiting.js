// @ts-check
/** What a table page shows without a game: the waiting room, an invitation, or that the table is closed. */

import { UserFacingError, forgetSeat, get, joinAddress, myName, post, saveMyName, saveSeatToken, seatCodes } from "./api.js";
import { h, icon, pluralize, setText } from "./dom.js";
import { canRemove, removeButton } from "./moderation.js";

/** @typedef {import("./types.js").ByeMessage} ByeMessage */
/** @typedef {import("./types.js").TableInfo} TableInfo */

const PUBLIC = "This table is public: everyone can see it in the lobby and take a free seat.";
const PRIVATE = "This table is private: it isn’t listed in the lobby, and you need an invitation to sit down.";

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
      { class: "waiting paper", "aria-label": "Waiting for players" },
      h("h2", null, table.title || "Waiting for players"),
      h("p", null, free.length ? `Waiting for ${pluralize(free.length, "player")}.` : "All players are here.", " The game starts when every seat is taken. ", table.public ? PUBLIC : PRIVATE),
      h("ul", { class: "seat-list" }, table.seats.map((seat) => seatItem(seat, canRemove(table.id, seat, mySeat) && removeButton(table.id, seat)))),
      friends.length > 0 &&
        h(
          "div",
          { class: "invitations" },
          h("h3", null, "Send each link to a friend"),
          ...friends.map((code) => copyField("Invitation link", new URL(`/table/${table.id}#invite=${code}`, location.href).href)),
          h("details", null, h("summary", null, "Or join from a terminal"), ...friends.map((code) => copyField("Join from a terminal", joinCommand(code, "human")))),
        ),
      programs.length > 0 &&
        h("div", { class: "invitations" }, h("h3", null, "Start your program with this command"), ...programs.map((code) => copyField("Command", joinCommand(code, "mine.py:Mine")))),
      !isSeated && free.some(({ kind }) => kind === "person") && table.public && seatForm(table.id, null),
      isSeated && h("div", { class: "actions" }, h("button", { class: "btn ghost", type: "button", onclick: leave }, "Leave")),
    ),
  );
}

/** @param {HTMLElement} root @param {string} table @param {string | null} invitation */
export async function showInvitation(root, table, invitation) {
  const title = h("h2", null, "You’re invited");
  const seats = h("ul", { class: "seat-list" });
  root.replaceChildren(h("section", { class: "waiting paper", "aria-label": "Invitation" }, title, seats, seatForm(table, invitation)));
  try {
    const { title: game, seats: all } = /** @type {TableInfo} */ (await get(`/api/tables/${table}`));
    setText(title, `You’re invited to ${game}`);
    seats.replaceChildren(...all.map((seat) => seatItem(seat)));
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
    game_id && h("a", { class: "btn primary", href: `/replay/${game_id}` }, "Replay"),
    seated && !game_id && h("button", { class: "btn", type: "button", onclick: watch }, "Watch instead"),
    h("a", { class: "btn", href: "/" }, "Go to the lobby"),
  ];
  const content = [h("h2", null, reason), h("div", { class: "actions" }, actions)];
  root.replaceChildren(h("section", { class: "waiting paper", "aria-label": "Table closed" }, content));
}

/** @param {import("./types.js").SeatInfo} seat @param {HTMLElement | false} [action] */
function seatItem(seat, action = false) {
  const { taken, name, kind, here, remote } = seat;
  return h(
    "li",
    { class: taken ? "taken" : "free" },
    icon(taken ? "paw" : "plus"),
    h("b", null, taken ? name : kind === "program" ? "A program" : "A friend"),
    h("span", { class: "small quiet" }, !taken ? "free" : kind === "bot" ? "bot" : !here ? "away" : remote ? "connected" : "here"),
    action,
  );
}

/** @param {string} label @param {string} text */
function copyField(label, text) {
  const select = () => field.select();
  const field = h("input", { class: "field", readonly: true, value: text, "aria-label": label, onfocus: select });
  const button = h("button", { class: "btn", type: "button", onclick: copy }, "Copy");
  const status = h("span", { class: "small", role: "status" });
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = "Copied.";
    } catch {
      // Without a secure connection the page has no access to the clipboard, but the user does.
      field.select();
      status.textContent = "Press Ctrl+C to copy.";
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
    h("label", null, h("span", null, "Your name"), name),
    h("button", { class: "btn primary", type: "submit" }, "Sit down"),
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

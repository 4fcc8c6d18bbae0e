// @ts-check
/** Where there is no game on the table: before it, for somebody invited, and after a farewell. */

import { Problem, forgetSeat, get, invitations, keepMyName, keepSeatToken, myName, post } from "./api.js";
import { counted, h, icon, setText } from "./dom.js";

/** @typedef {import("./types.js").ByeMessage} ByeMessage */
/** @typedef {import("./types.js").TableInfo} TableInfo */

/**
 * Who sits here, whom we wait for, links to send, and a chair for somebody who comes in.
 * @param {HTMLElement} root
 * @param {TableInfo} table
 * @param {boolean} isSeated
 * @param {() => void} leave
 */
export function showWaiting(root, table, isSeated, leave) {
  const free = table.seats.filter((seat) => !seat.taken);
  const links = invitations(table.id);
  root.replaceChildren(
    h(
      "section",
      { class: "waiting paper", "aria-label": "Waiting for players" },
      h("h2", null, table.title || "Waiting for players"),
      h("p", null, free.length ? `Waiting for ${counted(free.length, "player")}.` : "Everybody is here.", " The game starts when all sit."),
      h("ul", { class: "chairs" }, table.seats.map(chair)),
      isSeated &&
        free.length > 0 &&
        links.length > 0 &&
        h("div", { class: "invitations" }, h("h3", null, "Send this to a friend"), ...links.map(invitation)),
      !isSeated && free.length > 0 && table.public && sitDown(table.id, null),
      isSeated && h("div", { class: "ways-out" }, h("button", { class: "btn ghost", type: "button", onclick: leave }, "Leave")),
    ),
  );
}

/** @param {HTMLElement} root @param {string} table @param {string | null} invitation */
export async function showInvitation(root, table, invitation) {
  const title = h("h2", null, "You are invited");
  const seats = h("ul", { class: "chairs" });
  root.replaceChildren(h("section", { class: "waiting paper", "aria-label": "Invitation" }, title, seats, sitDown(table, invitation)));
  try {
    const { title: game, seats: all } = /** @type {TableInfo} */ (await get(`/api/tables/${table}`));
    setText(title, `You are invited to ${game}`);
    seats.replaceChildren(...all.map(chair));
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    // Only where the table is gone: otherwise whoever sits down is told what is wrong.
    if (failure.status === 404) showFarewell(root, { type: "bye", reason: failure.message, final: true }, null);
  }
}

/** @param {HTMLElement} root @param {ByeMessage} bye @param {string | null} seated the table at which I thought I had a seat */
export function showFarewell(root, { reason, final, game_id }, seated) {
  if (!final) return;
  const watch = () => {
    if (seated) forgetSeat(seated);
    location.reload();
  };
  const waysOut = [
    game_id && h("a", { class: "btn primary", href: `/replay/${game_id}` }, "Replay"),
    seated && !game_id && h("button", { class: "btn", type: "button", onclick: watch }, "Watch instead"),
    h("a", { class: "btn", href: "/" }, "To the tables"),
  ];
  const inside = [h("h2", null, reason), h("div", { class: "ways-out" }, waysOut)];
  root.replaceChildren(h("section", { class: "waiting paper", "aria-label": "No seat here" }, inside));
}

/** @param {import("./types.js").SeatInfo} seat */
function chair(seat) {
  const { taken, name, kind, here } = seat;
  return h(
    "li",
    { class: taken ? "taken" : "free" },
    icon(taken ? "paw" : "plus"),
    h("b", null, taken ? name : "A friend"),
    h("span", { class: "small quiet" }, !taken ? "free" : kind === "bot" ? "bot" : here ? "here" : "away"),
  );
}

/** @param {string} link */
function invitation(link) {
  const url = new URL(link, location.href).href;
  const select = () => field.select();
  const field = h("input", { class: "field", readonly: true, value: url, "aria-label": "Invitation link", onfocus: select });
  const button = h("button", { class: "btn", type: "button", onclick: copy }, "Copy");
  const told = h("span", { class: "small", role: "status" });
  async function copy() {
    try {
      await navigator.clipboard.writeText(url);
      told.textContent = "Copied.";
    } catch {
      // Without a secure connection the page may not touch the clipboard: the person can.
      field.select();
      told.textContent = "Press Ctrl+C to copy.";
    }
  }
  return h("div", { class: "invitation" }, field, button, told);
}

/**
 * A form to take a seat; the page starts anew with the seat's token.
 * @param {string} table
 * @param {string | null} invitation
 */
function sitDown(table, invitation) {
  const name = h("input", { class: "field", name: "name", required: true, maxlength: 30, value: myName() });
  const problem = h("p", { class: "small problem", role: "alert" });
  const form = h(
    "form",
    { class: "sit-down", onsubmit: sit },
    h("label", null, h("span", null, "Your name"), name),
    h("button", { class: "btn primary", type: "submit" }, "Sit down"),
    problem,
  );
  /** @param {Event} event */
  async function sit(event) {
    event.preventDefault();
    try {
      keepMyName(name.value.trim());
      const seat = await post(`/api/tables/${table}/seat`, { name: name.value.trim(), ...(invitation ? { invitation } : {}) });
      keepSeatToken(table, seat.token);
      location.replace(`/table/${table}`);
    } catch (failure) {
      problem.textContent = failure instanceof Error ? failure.message : String(failure);
    }
  }
  return form;
}

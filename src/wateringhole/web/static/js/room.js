// @ts-check
/**
 * The waiting room of a table: the seats in playing order, the settings, the invitations, and the start of the game.
 * The browser that opened the table is its host, and can change all of this; others see it.
 */

import { get, joinAddress, ownerToken, post, replaceCode, seatCodes } from "./api.js";
import { copyField } from "./copy-field.js";
import { h, icon } from "./dom.js";
import { loadIcons } from "./games.js";
import { inviteCard, joinCommand } from "./invite.js";
import { canRemove, removeButton } from "./moderation.js";
import { patchChildren } from "./patch.js";
import { picturesButtons } from "./pictures.js";
import { portrait } from "./portrait.js";
import { rulesLines } from "./rules-text.js";
import { settingsCard } from "./room-settings.js";
import { t } from "./text.js";
import { seatForm } from "./waiting.js";

/** @typedef {import("./lobby/game.js").GameInfo} GameInfo */
/** @typedef {import("./types.js").SeatInfo} SeatInfo */
/** @typedef {import("./types.js").TableInfo} TableInfo */

/**
 * What is shown in a room beyond the seats.
 * @typedef {object} RoomOptions
 * @property {boolean} isSeated
 * @property {number | null} mySeat
 * @property {() => void} leave
 * @property {boolean} canSit whether I am a spectator who may take a free seat
 */

/** @param {HTMLElement} root */
export function createRoom(root) {
  /** @type {GameInfo | null} */
  let game = null;
  let isLoading = false;
  let drawn = "";
  /** @type {[TableInfo, RoomOptions] | null} */
  let shown = null;
  const alert = h("p", { class: "small error", role: "alert" });
  const status = h("p", { class: "vh", role: "status" });
  const agreement = h("div", { class: "room-agreement" });
  const head = h("header", { class: "room-head" });
  const seatsHead = h("header");
  const seats = h("ol", { class: "room-list" });
  const addSeat = h("button", { class: "btn ghost", type: "button", id: "add-seat" }, icon("plus"), t("room.addSeat"));
  const start = h("div", { class: "room-start" });
  const side = h("div", { class: "room-side" });
  const section = h("section", { class: "room", "aria-label": t("room.title") }, head, h("section", { class: "room-seats paper", "aria-labelledby": "room-seats" }, seatsHead, seats, addSeat), start, side);
  /** What the side shows. It is replaced when this changes; everything else changes in place. */
  let drawnSide = "";

  return {
    /** Shows a table before its game. @param {TableInfo} table @param {RoomOptions} options */
    show(table, options) {
      shown = [table, options];
      load(table.game);
      draw();
    },
    redraw,
    /** Ends the room, because the game begins. What it still loads is not drawn. */
    close() {
      shown = null;
    },
  };

  /** Loads the descriptions of the game's bots, once. @param {string} name */
  async function load(name) {
    if (isLoading) return;
    isLoading = true;
    const { games } = await get("/api/lobby");
    game = games.find((/** @type {GameInfo} */ each) => each.name === name) ?? null;
    if (game) await loadIcons([game]);
    redraw();
  }

  /** Draws the room unless nothing has changed, and keeps the focus. */
  function draw() {
    if (!shown) return;
    const [table, options] = shown;
    const signature = JSON.stringify([table, options.mySeat, game !== null]);
    if (signature === drawn && section.isConnected) return;
    drawn = signature;
    const focused = document.activeElement?.id ?? "";
    if (!section.isConnected) root.prepend(section);
    drawRoom(table, options);
    restoreFocus(focused);
  }

  /** Does something as the host. @param {TableInfo} table @param {string} action @param {Record<string, any>} content */
  async function act(table, action, content) {
    try {
      alert.textContent = "";
      return await post(`/api/tables/${table.id}/${action}`, { token: ownerToken(table.id), ...content });
    } catch (error) {
      alert.textContent = error instanceof Error ? error.message : String(error);
      redraw();
      return null;
    }
  }

  /** Draws the room again: the browser has stored a new code, or a choice was refused. */
  function redraw() {
    drawn = drawnSide = "";
    draw();
  }

  /** @param {TableInfo} table @param {RoomOptions} options */
  function drawRoom(table, options) {
    const { isSeated, mySeat, leave } = options;
    const isHost = ownerToken(table.id) !== null;
    const free = table.seats.filter((seat) => !seat.taken).length;
    patchChildren(head, [
      h("h2", null, table.title || t("room.title")),
      h("p", null, free ? t("room.waiting", { count: free }) : t("room.full"), " ", t("room.start")),
      h("p", { class: "small" }, rulesLines(table.game, table.chosen).join(" · ")),
      ...picturesButtons(table.pictures),
    ]);
    patchChildren(seatsHead, [h("h3", { id: "room-seats" }, t("room.seats")), isHost && h("p", { class: "small" }, t("room.orderHint"))]);
    patchChildren(seats, table.seats.map((seat) => seatRow(table, seat, mySeat, isHost)));
    addSeat.hidden = !isHost || table.seats.length >= (game?.most ?? 0);
    addSeat.onclick = () => add(table);
    patchChildren(start, [
      ...(isHost ? startButtons(table, mySeat) : []),
      isSeated && h("button", { class: "btn ghost", type: "button", id: "room-leave", onclick: leave }, t("room.leave")),
      alert,
      status,
    ]);
    drawSide(table, isHost, options.canSit);
  }

  /** @param {TableInfo} table @param {boolean} isHost @param {boolean} canSit */
  function drawSide(table, isHost, canSit) {
    const open = table.seats.map(({ key, kind, taken }) => [key, kind, taken]);
    const signature = JSON.stringify([open, seatCodes(table.id), table.settings, isHost, canSit]);
    if (signature === drawnSide) return;
    drawnSide = signature;
    const join = canSit ? h("section", { class: "room-card paper" }, h("h3", null, t("room.join")), seatForm(table.id, null)) : null;
    const settings = settingsCard(table, isHost, (changes) => act(table, "settings", { settings: changes }), agreement);
    side.replaceChildren(...[join, inviteCard(table), settings].filter((card) => card !== null));
  }

  /** @param {TableInfo} table @param {number | null} mySeat */
  function startButtons(table, mySeat) {
    const absent = table.seats.filter((seat) => seat.seat !== mySeat && (!seat.taken || !seat.here));
    const present = table.seats.length - absent.length;
    const keys = absent.map(({ key }) => key);
    if (!absent.length) return [];
    return [
      h("button", { class: "btn primary", type: "button", id: "start-bots", onclick: () => act(table, "start", { absent: keys, bots: true }) }, t("room.startBots", { count: absent.length })),
      present >= (game?.least ?? 2) &&
        h("button", { class: "btn", type: "button", id: "start-here", onclick: () => act(table, "start", { absent: keys, bots: false }) }, t("room.startHere", { count: present })),
    ];
  }

  /** @param {TableInfo} table @param {SeatInfo} seat @param {number | null} mySeat @param {boolean} isHost */
  function seatRow(table, seat, mySeat, isHost) {
    const isMe = seat.seat === mySeat;
    const label = seatLabel(seat);
    const code = seatCodes(table.id)[seat.key];
    return h(
      "li",
      { class: `room-seat ${seat.taken ? "taken" : "free"}`, "data-key": seat.key, ...(isHost ? moving(table, seat, label) : {}) },
      isHost && orderButtons(table, seat, label),
      face(seat),
      h("span", { class: "room-name" }, h("b", null, isMe ? t("room.you", { name: label }) : label), h("small", null, description(seat, isHost))),
      h("span", { class: "room-state small" }, stateLabel(seat)),
      h("span", { class: "room-actions" }, isHost && !isMe && (seat.kind === "bot" || !seat.taken || !seat.here) && occupantSelect(table, seat), canRemove(table.id, seat, mySeat) && removeButton(table.id, seat), isHost && canDrop(table, seat, mySeat) && dropButton(table, seat)),
      seat.kind === "program" && !seat.taken && code && h("div", { class: "room-command" }, copyField(t("room.command"), joinCommand(joinAddress(table.id), code, "mine.py:Mine"))),
    );
  }

  /** Returns what describes the bot of a seat, or tells the host how to fill it. @param {SeatInfo} seat @param {boolean} isHost */
  function description({ kind, bot, taken }, isHost) {
    if (bot) return bot.level ? t("room.botLevel", { level: bot.level, text: bot.text }) : bot.text;
    if (taken || kind === "bot" || !isHost) return "";
    return kind === "program" ? t("room.programHint") : t("room.friendHint");
  }

  /** @param {SeatInfo} seat */
  function stateLabel({ taken, kind, here, remote }) {
    if (!taken) return t("room.free");
    if (kind === "bot") return t("player.bot");
    return !here ? t("player.away") : remote ? t("room.connected") : t("room.here");
  }

  /** @param {SeatInfo} seat */
  function face({ name, bot, taken }) {
    if (!taken) return h("span", { class: "face tint-yellow" }, icon("paw"));
    return portrait(bot?.name ?? name, bot?.face);
  }

  /* ---- what the host does ---- */

  /** Creates the choice of another occupant for a seat without a player. @param {TableInfo} table @param {SeatInfo} seat */
  function occupantSelect(table, seat) {
    const bots = game?.players ?? [];
    return h(
      "select",
      { class: "field", id: `occupant-${seat.key}`, "aria-label": t("room.occupant", { seat: seat.seat + 1 }), onchange: change },
      seat.kind !== "bot" && h("option", { value: "", selected: true }, t("room.putBot")),
      ...bots.map(({ name, level }) => h("option", { value: `bot ${name}`, selected: seat.player === name }, level ? t("newTable.ratedBot", { name, level }) : t("newTable.bot", { name }))),
      seat.kind !== "person" && h("option", { value: "friend" }, t("newTable.friend")),
      seat.kind !== "program" && h("option", { value: "program" }, t("newTable.program")),
    );
    /** @param {Event} event */
    async function change({ currentTarget }) {
      const [kind, player] = /** @type {HTMLSelectElement} */ (currentTarget).value.split(" ");
      const changed = await act(table, "occupant", { key: seat.key, occupant: kind === "bot" ? { kind, player } : { kind } });
      if (!changed) return;
      replaceCode(seat.key, changed);
      redraw();
    }
  }

  /** @param {TableInfo} table */
  async function add(table) {
    const changed = await act(table, "add-seat", {});
    if (!changed) return;
    replaceCode(changed.table.seats.at(-1).key, changed);
    redraw();
  }

  /** Returns whether the host may remove a seat: no player is there, and enough seats remain. @param {TableInfo} table @param {SeatInfo} seat @param {number | null} mySeat */
  function canDrop(table, seat, mySeat) {
    return seat.seat !== mySeat && (seat.kind === "bot" || !seat.taken) && table.seats.length > (game?.least ?? Infinity);
  }

  /** @param {TableInfo} table @param {SeatInfo} seat */
  function dropButton(table, seat) {
    const label = t("room.removeSeat", { seat: seat.seat + 1 });
    return h("button", { class: "mini", type: "button", id: `drop-${seat.key}`, "aria-label": label, title: label, onclick: () => act(table, "remove-seat", { key: seat.key }) }, icon("cross"));
  }

  /** @param {TableInfo} table @param {SeatInfo} seat @param {string} label */
  function orderButtons(table, seat, label) {
    const last = table.seats.length - 1;
    /** @param {string} id @param {string} picture @param {string} text @param {number} to */
    const button = (id, picture, text, to) =>
      h("button", { class: "mini", type: "button", id: `${id}-${seat.key}`, "aria-label": text, title: text, disabled: to < 0 || to > last, onclick: () => move(table, seat, to, label) }, icon(picture));
    return h(
      "span",
      { class: "room-order" },
      button("earlier", "up", t("room.earlier", { name: label }), seat.seat - 1),
      button("later", "down", t("room.later", { name: label }), seat.seat + 1),
    );
  }

  /** Returns what lets the host move a seat with Alt and the arrow keys, or by dragging it. @param {TableInfo} table @param {SeatInfo} seat @param {string} label */
  function moving(table, seat, label) {
    return {
      draggable: "true",
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const by = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
        if (by === undefined) return;
        event.preventDefault();
        move(table, seat, seat.seat + by, label);
      },
      ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/plain", String(seat.key)),
      ondragover: (/** @type {DragEvent} */ event) => event.preventDefault(),
      ondrop: (/** @type {DragEvent} */ event) => {
        event.preventDefault();
        const dragged = table.seats.find(({ key }) => String(key) === event.dataTransfer?.getData("text/plain"));
        if (dragged) move(table, dragged, seat.seat, seatLabel(dragged));
      },
    };
  }

  /** @param {TableInfo} table @param {SeatInfo} seat @param {number} to @param {string} label */
  async function move(table, seat, to, label) {
    if (to < 0 || to >= table.seats.length || to === seat.seat) return;
    const keys = table.seats.map(({ key }) => key).filter((key) => key !== seat.key);
    keys.splice(to, 0, seat.key);
    if (await act(table, "order", { keys })) status.textContent = t("room.moved", { name: label, seat: to + 1, count: table.seats.length });
  }
}

/** @param {SeatInfo} seat */
const seatLabel = ({ taken, name, kind }) => (taken ? name : kind === "program" ? t("room.program") : t("newTable.friend"));

/** Focuses the control that had the focus, or its neighbour if it is disabled now. @param {string} id */
function restoreFocus(id) {
  const control = id ? document.getElementById(id) : null;
  if (!control) return;
  if (control.hasAttribute("disabled")) /** @type {HTMLElement | null} */ (control.parentElement?.querySelector("button:not([disabled])"))?.focus();
  else control.focus();
}

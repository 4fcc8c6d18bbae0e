// @ts-check
/** One game's sign: who shall sit at a new table, by which rules, and the button that starts it. */

import { h, icon } from "../dom.js";
import { gameFace, gamePicture } from "../games.js";
import { rulesSheet } from "./rules.js";

/** @typedef {{name: string, text: string}} Named */
/** @typedef {{name: string, text: string, default: any, choices: any[]|null, kind: "choice"|"number"|"flag"}} Option */
/**
 * @typedef {object} GameInfo
 * @property {string} name
 * @property {string} title
 * @property {string} text
 * @property {number} least
 * @property {number} most
 * @property {number} seats_default
 * @property {Named[]} profiles
 * @property {Option[]} options
 * @property {Named[]} players
 * @property {string} turn_name
 * @property {import("../types.js").Manifest} page
 */
/** @typedef {{kind: "me"} | {kind: "friend"} | {kind: "bot", player: string}} Chair */
/** @typedef {{game: string, profile: string, options: Record<string, any>, seats: Chair[]}} Wish */

/** More chairs than this do not fit on a page; larger tables are for programs. */
const MOST_CHAIRS = 8;

/**
 * @param {GameInfo} game
 * @param {(wish: Wish) => void} open
 */
export function gameSign(game, open) {
  const most = Math.min(game.most, MOST_CHAIRS);
  const bots = game.players.map((player) => player.name);
  /** @type {Chair[]} */
  const chairs = [{ kind: "me" }];
  while (chairs.length < game.seats_default) chairs.push({ kind: "bot", player: bots[(chairs.length - 1) % bots.length] ?? "" });
  let profile = game.profiles[0]?.name ?? "";
  /** @type {Record<string, any>} */
  let options = {};

  const row = h("div", { class: "seats", role: "group", "aria-label": "Seats" });
  const start = h("button", { class: "btn primary start", type: "submit" });
  const invite = h("button", { class: "btn ghost", type: "button", onclick: addFriend }, "Invite a friend");
  const rules = h("button", { class: "btn ghost rules", type: "button", "aria-haspopup": "dialog", onclick: showRules });
  const form = h("form", { onsubmit: submit }, row, h("div", { class: "line" }, start, invite, rules));
  draw();

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    open({ game: game.name, profile, options, seats: chairs });
  }

  function addFriend() {
    const last = chairs.findLastIndex((chair) => chair.kind === "bot");
    if (chairs.length < most) chairs.push({ kind: "friend" });
    else if (last >= 0) chairs[last] = { kind: "friend" };
    draw();
  }

  function showRules() {
    rulesSheet(game, profile, options, (chosen, changed) => {
      profile = chosen;
      options = changed;
      draw();
    }).showModal();
  }

  function draw() {
    row.replaceChildren(...chairs.map(chairOf));
    if (chairs.length < most) {
      const add = () => {
        chairs.push({ kind: "bot", player: bots[(chairs.length - 1) % bots.length] ?? "" });
        draw();
      };
      row.append(h("button", { type: "button", class: "chair free", onclick: add }, "+ seat"));
    }
    const waits = chairs.some((chair) => chair.kind === "friend");
    start.textContent = waits ? "Open the table" : chairs[0]?.kind === "me" ? "Play now" : "Watch them";
    const changed = Object.keys(options).length;
    rules.textContent = `Rules: ${profile}${changed ? `, ${changed} changed` : ""}`;
  }

  /** @param {Chair} chair @param {number} index */
  function chairOf(chair, index) {
    const kind = chair.kind === "bot" ? `bot ${chair.player}` : chair.kind;
    const choices = [
      ...(index === 0 ? [["me", "You"]] : []),
      ...(index === 0 ? [] : [["friend", "A friend"]]),
      ...bots.map((name) => [`bot ${name}`, `${name} (bot)`]),
      ...(index > 0 && chairs.length > game.least ? [["", "Nobody"]] : []),
    ];
    const select = h(
      "select",
      { "aria-label": `Seat ${index + 1}`, onchange: change },
      ...choices.map(([value, label]) => h("option", { value, selected: value === kind }, label)),
    );
    function change() {
      const [chosen, player = ""] = select.value.split(" ");
      if (chosen === "") chairs.splice(index, 1);
      else if (chosen === "bot") chairs[index] = { kind: "bot", player };
      else chairs[index] = { kind: chosen === "me" ? "me" : "friend" };
      draw();
      row.querySelectorAll("select")[index]?.focus();
    }
    const face =
      chair.kind === "bot"
        ? gameFace(game.name, Math.max(0, bots.indexOf(chair.player)), "face")
        : h("span", { class: "face tint-yellow" }, icon(chair.kind === "me" ? "sun" : "paw"));
    const about = chair.kind === "bot" ? game.players.find((player) => player.name === chair.player)?.text : null;
    return h(
      "span",
      { class: `chair ${chair.kind === "me" ? "you" : ""}`, title: about ?? null },
      face,
      select,
    );
  }

  const heading = h("h2", { id: `sign-${game.name}` }, game.title);
  return h(
    "section",
    { class: "game paper", "aria-labelledby": heading.id },
    h("div", { class: "top" }, gamePicture(game.name), h("div", null, heading, h("p", null, game.text))),
    form,
  );
}

// @ts-check
/** Tables to sit down at or to watch, and the games that were finished last. */

import { seatToken } from "../api.js";
import { counted, h, listed } from "../dom.js";
import { gamePicture } from "../games.js";

/** @typedef {import("./game.js").GameInfo} GameInfo */
/** @typedef {import("../types.js").TableInfo} TableInfo */
/** @typedef {{game_id: string, game: string, title: string, names: string[], places: number[], scores: (number|null)[], when: string}} Finished */

/** @param {TableInfo[]} tables @param {GameInfo[]} games @param {(table: TableInfo) => void} sitDown */
export function tableList(tables, games, sitDown) {
  if (tables.length === 0) return [h("p", { class: "nothing paper" }, "No tables yet. Open the first: press “Play now” above.")];
  return tables.map((table) => tableRow(table, games.find(({ name }) => name === table.game)?.turn_name ?? "turn", sitDown));
}

/** @param {TableInfo} table @param {string} turn what is counted there @param {(table: TableInfo) => void} sitDown */
function tableRow(table, turn, sitDown) {
  const free = table.seats.filter((seat) => !seat.taken);
  const people = table.seats.filter((seat) => seat.taken).map((seat) => seat.name);
  const isMine = seatToken(table.id) !== null;
  const waits = table.state === "waiting" && free.length > 0;
  const state =
    waits
      ? `waiting for ${free.length} more`
      : `${counted(table.seats.length, "player")}${table.turn ? `, ${turn} ${table.turn}` : ""}`;
  const action = isMine
    ? h("a", { class: "btn primary", href: table.link }, "Back to my seat")
    : waits
      ? h("button", { class: "btn", type: "button", onclick: () => sitDown(table) }, "Sit down")
      : h("a", { class: "btn", href: table.link }, "Watch");
  return h(
    "article",
    { class: "tb paper", "aria-label": `${table.title}: ${listed(people)}` },
    gamePicture(table.game),
    h("div", null, h("b", null, listed(people) || "An empty table"), h("p", { class: "small quiet" }, `${table.title}, ${state}`)),
    h("span", { class: "dots", "aria-hidden": "true" }, ...table.seats.map((seat) => h("i", { class: seat.taken ? "" : "free" }))),
    action,
  );
}

/** @param {Finished[]} games */
export function finishedList(games) {
  if (games.length === 0) return [h("li", null, "No game is over yet.")];
  return games.map((game) => {
    const order = game.names.map((name, seat) => ({ name, place: game.places[seat] ?? game.names.length, score: game.scores[seat] }));
    order.sort((a, b) => a.place - b.place);
    const [first, ...rest] = order;
    const told = (/** @type {typeof order[number]} */ player) => (typeof player.score === "number" ? ` ${player.score}` : "");
    return h(
      "li",
      null,
      gamePicture(game.game),
      h("span", null, h("b", null, first?.name ?? ""), first ? told(first) : "", rest.map((player) => `, ${player.name}${told(player)}`).join("")),
      h("a", { href: `/replay/${encodeURIComponent(game.game_id)}`, "aria-label": `Replay: ${game.names.join(", ")}` }, "Replay"),
    );
  });
}

// @ts-check
/** The lobby's list of tables, and its list of finished games. */

import { seatToken } from "../api.js";
import { h } from "../dom.js";
import { gameIcon, gameText } from "../games.js";
import { formatList, t } from "../text.js";

/** @typedef {import("./game.js").GameInfo} GameInfo */
/** @typedef {import("../types.js").TableInfo} TableInfo */
/** @typedef {{game_id: string, game: string, title: string, names: string[], places: number[], scores: (number|null)[], when: string}} Finished */

/** @param {TableInfo[]} tables @param {GameInfo[]} games @param {(table: TableInfo) => void} takeSeat */
export function tableList(tables, games, takeSeat) {
  if (tables.length === 0) return [h("p", { class: "nothing paper" }, t("lobby.noTables"))];
  return tables.map((table) => tableRow(table, games.find(({ name }) => name === table.game)?.turn_name ?? "turn", takeSeat));
}

/** @param {TableInfo} table @param {string} turn the game's name for a turn @param {(table: TableInfo) => void} takeSeat */
function tableRow(table, turn, takeSeat) {
  const free = table.seats.filter((seat) => !seat.taken);
  const names = table.seats.filter((seat) => seat.taken).map((seat) => seat.name);
  const isMine = seatToken(table.id) !== null;
  const isWaiting = table.state === "waiting" && free.length > 0;
  const hasOpenSeat = isWaiting && free.some((seat) => seat.kind === "person");
  const state =
    isWaiting
      ? t("lobby.waitingFor", { game: table.title, count: free.length })
      : table.turn
        ? t("lobby.playersAt", { game: table.title, count: table.seats.length, turn: gameText(table.game, "turn.inline", { number: table.turn }) ?? `${turn} ${table.turn}` })
        : t("lobby.players", { game: table.title, count: table.seats.length });
  const action = isMine
    ? h("a", { class: "btn primary", href: table.link }, t("lobby.toMySeat"))
    : hasOpenSeat
      ? h("button", { class: "btn", type: "button", onclick: () => takeSeat(table) }, t("lobby.sitDown"))
      : h("a", { class: "btn", href: table.link }, t("lobby.watch"));
  return h(
    "article",
    { class: "tb paper", "data-key": table.id, "aria-label": t("lobby.tableOf", { game: table.title, names: formatList(names) }) },
    gameIcon(table.game),
    h("div", null, h("b", null, formatList(names) || t("lobby.emptyTable")), h("p", { class: "small quiet" }, state)),
    h("span", { class: "dots", "aria-hidden": "true" }, ...table.seats.map((seat) => h("i", { class: seat.taken ? "" : "free" }))),
    action,
  );
}

/** @param {Finished[]} games */
export function finishedList(games) {
  if (games.length === 0) return [h("li", null, t("lobby.noFinished"))];
  return games.map((game) => {
    const order = game.names.map((name, seat) => ({ name, place: game.places[seat] ?? game.names.length, score: game.scores[seat] }));
    order.sort((a, b) => a.place - b.place);
    const [first, ...rest] = order;
    const scoreSuffix = (/** @type {typeof order[number]} */ player) => (typeof player.score === "number" ? ` ${player.score}` : "");
    return h(
      "li",
      { "data-key": game.game_id },
      gameIcon(game.game),
      h("span", null, h("b", null, first?.name ?? ""), first ? scoreSuffix(first) : "", rest.map((player) => `, ${player.name}${scoreSuffix(player)}`).join("")),
      h("a", { href: `/replay/${encodeURIComponent(game.game_id)}`, "aria-label": t("lobby.replayOf", { names: game.names.join(", ") }) }, t("lobby.replay")),
    );
  });
}

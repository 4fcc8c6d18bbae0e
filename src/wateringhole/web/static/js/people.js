// @ts-check
/** My tables and finished games as lines of a list, for the lobby and the page about me. */

import { post, saveSeatToken, seatToken } from "./api.js";
import { h } from "./dom.js";
import { reportError } from "./error-banner.js";
import { gameIcon, gameText } from "./games.js";
import { capitalized, formatList, t } from "./text.js";

/** @typedef {import("./types.js").TableInfo} TableInfo */
/** @typedef {import("./lobby/game.js").GameInfo} GameInfo */
/** @typedef {{name: string, place: number, score: number|null, player: string|null, me: boolean}} SeatResult */
/** @typedef {{game_id: string, game: string, title: string, finished: number, rated: boolean, replay: boolean, seats: SeatResult[]}} MyGame */
/** @typedef {TableInfo & {my_seat: number, my_turn: boolean}} MyTable */
/**
 * @typedef {object} Me
 * @property {string|null} name
 * @property {MyTable[]} tables
 * @property {MyGame[]} games
 * @property {number} [games_total]
 * @property {Record<string, import("./lobby/ladder-list.js").Rating>} ratings
 * @property {Record<string, string[]>} beaten
 */

/** Creates a line for each of my tables. @param {MyTable[]} tables @param {GameInfo[]} games */
export function tableLines(tables, games) {
  return tables.map((table) => {
    const others = table.seats.filter(({ seat, taken }) => taken && seat !== table.my_seat).map(({ name }) => name);
    const turnName = games.find(({ name }) => name === table.game)?.turn_name ?? "";
    const turn = table.turn ? (gameText(table.game, "turn.inline", { number: table.turn }) ?? `${turnName} ${table.turn}`) : "";
    const status = table.my_turn ? t("me.myTurn") : table.state === "waiting" ? t("me.waiting") : t("me.othersTurn");
    const open = () => openMyTable(table);
    return h(
      "li",
      { class: table.my_turn ? "my-turn" : null, "data-key": table.id },
      gameIcon(table.game),
      h("span", null, h("b", null, formatList(others) || table.title), h("span", { class: "small quiet" }, h("b", null, status), " ", [table.title, turn].filter(Boolean).join(", "))),
      h("button", { class: `btn ${table.my_turn ? "primary" : ""}`, type: "button", onclick: open, "aria-label": t("me.openTable", { names: formatList(others) || table.title }) }, table.my_turn ? t("me.play") : t("me.look")),
    );
  });
}

/** Opens a table at which I sit. If this browser has no token of my seat, it gets one. @param {MyTable} table */
export async function openMyTable(table) {
  try {
    if (seatToken(table.id) === null) {
      const { token } = await post(`/api/tables/${encodeURIComponent(table.id)}/seat`, {});
      saveSeatToken(table.id, token);
    }
    location.assign(table.link);
  } catch (error) {
    reportError(error);
  }
}

/** @param {number} seconds since 1970 */
const formatDate = (seconds) =>
  new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium" }).format(new Date(seconds * 1000));

/** Creates a line for each of my finished games. @param {MyGame[]} games */
export function finishedGames(games) {
  return games.map((game) => {
    const mine = game.seats.find(({ me }) => me);
    const others = game.seats.filter(({ me }) => !me).map(({ name }) => name);
    const place = t("me.place", { place: mine?.place ?? 0, players: game.seats.length });
    const score = mine && mine.score !== null ? t("me.points", { count: mine.score }) : "";
    const details = [game.title, formatList(others), formatDate(game.finished), game.rated ? t("me.rated") : ""];
    return h(
      "li",
      { "data-key": game.game_id },
      gameIcon(game.game),
      h("span", null, h("b", null, capitalized([place, score].filter(Boolean).join(", "))), h("span", { class: "small quiet" }, details.filter(Boolean).join(" · "))),
      game.replay && h("a", { class: "btn", href: `/replay/${encodeURIComponent(game.game_id)}`, "aria-label": t("lobby.replayOf", { names: game.seats.map(({ name }) => name).join(", ") }) }, t("lobby.replay")),
    );
  });
}

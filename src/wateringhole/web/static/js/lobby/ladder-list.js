// @ts-check
/** The ladder of opponents in the lobby and on the page about me. One click opens a table against one of them. */

import { h, icon } from "../dom.js";
import { gameText } from "../games.js";
import { ladderOf, nextOpponent } from "../ladder.js";
import { formatRating, levelName, paws } from "../levels.js";
import { portrait } from "../portrait.js";
import { t } from "../text.js";

/** @typedef {import("../types.js").BotInfo} BotInfo */
/** @typedef {{rating: number|null, error: number|null, games: number}} Rating */

/**
 * Creates the ladder, or nothing for a game without rated bots.
 * @param {{name: string, title: string, players: BotInfo[]}} game
 * @param {Set<string>} beaten
 * @param {{name: string, rating: Rating|undefined}|null} me with my place between the bots, if I have a name
 * @param {(bot: string) => void} play
 */
export function ladderList(game, beaten, me, play) {
  const ladder = ladderOf(game.players);
  if (ladder.length === 0) return [];
  const next = nextOpponent(game.players, beaten)?.name;
  const steps = ladder.map((bot) => step({ ...bot, text: gameText(game.name, `bot.${bot.name}`) ?? bot.text }, beaten.has(bot.name), bot.name === next, () => play(bot.name)));
  const own = me?.rating?.rating ?? null;
  if (me && own !== null) {
    const above = ladder.findIndex(({ rating }) => (rating ?? 0) > own);
    steps.splice(above < 0 ? steps.length : above, 0, ownStep(me.name, own, me.rating?.error ?? 0));
  }
  const unrated = me && own === null ? [h("p", { class: "small quiet" }, t("ladder.noRating", { count: me.rating?.games ?? 0 }))] : [];
  return [h("ol", { class: "ladder", "aria-label": t("ladder.label", { game: game.title }) }, ...steps), ...unrated];
}

/** @param {BotInfo} bot @param {boolean} isBeaten @param {boolean} isNext @param {() => void} play */
function step({ name, text, level, rating, error, face }, isBeaten, isNext, play) {
  const status = isBeaten ? t("ladder.beaten") : isNext ? t("ladder.next") : null;
  return h(
    "li",
    null,
    h(
      "button",
      { class: `opponent ${isNext && !isBeaten ? "next" : ""}`, type: "button", title: text, onclick: play },
      portrait(name, face),
      h("span", { class: "who" }, h("b", null, h("span", { class: "vh" }, t("ladder.against"), " "), name), h("span", { class: "small" }, levelName(level ?? 1)), paws(level ?? 1)),
      status && h("span", { class: `tag ${isBeaten ? "won" : "first"}` }, isBeaten && icon("check"), status),
      h("span", { class: "description small" }, rating !== null && h("b", { class: "num" }, formatRating(rating, error ?? 0), ". "), text),
    ),
  );
}

/** @param {string} name @param {number} rating @param {number} error */
function ownStep(name, rating, error) {
  return h("li", { class: "opponent mine" }, portrait(name), h("span", { class: "who" }, h("b", null, name), h("span", { class: "small num" }, formatRating(rating, error))));
}

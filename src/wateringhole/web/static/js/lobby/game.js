// @ts-check
/** The lobby's card for one game: the seats and rules of a new table, and the button that opens it. */

import { h, icon } from "../dom.js";
import { gameIcon, gameText } from "../games.js";
import { nextOpponent } from "../ladder.js";
import { portrait } from "../portrait.js";
import { savePreference } from "../preferences.js";
import { profileName } from "../rules-text.js";
import { t } from "../text.js";
import { ladderList } from "./ladder-list.js";
import { openTable, wantsRated } from "./opening.js";
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
 * @property {import("../types.js").BotInfo[]} players
 * @property {string} turn_name
 * @property {import("../types.js").Manifest} page
 * @property {boolean} first_game whether it has a guided first game
 */
/** @typedef {{kind: "me"} | {kind: "friend"} | {kind: "program"} | {kind: "bot", player: string}} SeatOccupant */
/** @typedef {{game: string, first_game: true} | {game: string, profile: string, options: Record<string, any>, seats: SeatOccupant[], public: boolean, rated: boolean}} TablePlan */

/** The page has no room for more seats; larger tables are for programs. */
const MAX_SEATS = 8;

/**
 * @param {GameInfo} game
 * @param {(plan: TablePlan) => void} open
 * @param {Set<string>} beaten the bots that I have beaten
 * @param {{name: string, rating: import("./ladder-list.js").Rating|undefined}|null} me if I have a name
 */
export function gameCard(game, open, beaten, me) {
  const maxSeats = Math.min(game.most, MAX_SEATS);
  const bots = game.players.map((player) => player.name);
  // The first table suits a beginner, and each later one is a little harder.
  const opponent = nextOpponent(game.players, beaten)?.name ?? bots[0] ?? "";
  /** @type {SeatOccupant[]} */
  const occupants = [{ kind: "me" }];
  while (occupants.length < game.seats_default) occupants.push({ kind: "bot", player: opponent });
  let profile = game.profiles[0]?.name ?? "";
  /** @type {Record<string, any>} */
  let options = {};

  const row = h("div", { class: "seats", role: "group", "aria-label": t("newTable.seats") });
  const start = h("button", { class: "btn primary start", type: "submit" });
  const invite = h("button", { class: "btn ghost", type: "button", onclick: addFriend }, t("newTable.invite"));
  const rules = h("button", { class: "btn ghost rules", type: "button", "aria-haspopup": "dialog", onclick: showRules });
  const isPublic = h("input", { type: "checkbox" });
  const privacy = h("label", { class: "privacy", title: t("newTable.publicHint") }, isPublic, t("newTable.public"));
  const isRated = h("input", { type: "checkbox", checked: wantsRated(), onchange: () => savePreference("rated", isRated.checked ? "yes" : "no") });
  const rated = me && h("label", { class: "privacy", title: t("newTable.ratedHint") }, isRated, t("newTable.rated"));
  const firstGame = h("button", { class: "btn ghost", type: "button", onclick: () => open({ game: game.name, first_game: true }) }, t("first.open"));
  const form = h("form", { onsubmit: submit }, row, h("div", { class: "line" }, start, game.first_game && firstGame, invite, rules, privacy, rated));
  draw();

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    open({ game: game.name, profile, options, seats: occupants, public: isPublic.checked, rated: me !== null && isRated.checked });
  }

  function addFriend() {
    const last = occupants.findLastIndex((occupant) => occupant.kind === "bot");
    if (occupants.length < maxSeats) occupants.push({ kind: "friend" });
    else if (last >= 0) occupants[last] = { kind: "friend" };
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
    row.replaceChildren(...occupants.map(seatPicker));
    if (occupants.length < maxSeats) {
      const add = () => {
        occupants.push({ kind: "bot", player: opponent });
        draw();
      };
      row.append(h("button", { type: "button", class: "seat-picker free", onclick: add }, t("newTable.addSeat")));
    }
    const isAwaited = occupants.some(({ kind }) => kind === "friend" || kind === "program");
    start.textContent = isAwaited ? t("newTable.open") : occupants[0]?.kind === "me" ? t("newTable.play") : t("newTable.watch");
    const changed = Object.keys(options).length;
    rules.textContent = changed ? t("newTable.changedRules", { profile: profileName(game.name, profile), count: changed }) : t("newTable.rules", { profile: profileName(game.name, profile) });
  }

  /** @param {string} name */
  function botLabel(name) {
    const level = game.players.find((player) => player.name === name)?.level;
    return level ? t("newTable.ratedBot", { name, level }) : t("newTable.bot", { name });
  }

  /** @param {SeatOccupant} occupant @param {number} index */
  function seatPicker(occupant, index) {
    const current = occupant.kind === "bot" ? `bot ${occupant.player}` : occupant.kind;
    const choices = [
      ...(index === 0 ? [["me", t("newTable.you")]] : []),
      ...(index === 0 ? [] : [["friend", t("newTable.friend")]]),
      ["program", t("newTable.program")],
      ...bots.map((name) => [`bot ${name}`, botLabel(name)]),
      ...(index > 0 && occupants.length > game.least ? [["", t("newTable.removeSeat")]] : []),
    ];
    const select = h(
      "select",
      { "aria-label": t("newTable.seat", { number: index + 1 }), onchange: change },
      ...choices.map(([value, label]) => h("option", { value, selected: value === current }, label)),
    );
    function change() {
      const [chosen, player = ""] = select.value.split(" ");
      if (chosen === "") occupants.splice(index, 1);
      else if (chosen === "bot") occupants[index] = { kind: "bot", player };
      else occupants[index] = { kind: chosen === "me" || chosen === "program" ? chosen : "friend" };
      draw();
      row.querySelectorAll("select")[index]?.focus();
    }
    const face =
      occupant.kind === "bot"
        ? portrait(occupant.player, game.players.find((player) => player.name === occupant.player)?.face)
        : h("span", { class: "face tint-yellow" }, icon(occupant.kind === "me" ? "sun" : "paw"));
    const description =
      occupant.kind === "bot"
        ? (gameText(game.name, `bot.${occupant.player}`) ?? game.players.find((player) => player.name === occupant.player)?.text)
        : occupant.kind === "program" && t("newTable.programHint");
    return h(
      "span",
      { class: `seat-picker ${occupant.kind === "me" ? "you" : ""}`, title: description || null },
      face,
      select,
    );
  }

  const ladder = ladderList(game, beaten, me, (bot) => openTable(game, bot, me !== null && isRated.checked));
  const heading = h("h2", { id: `game-${game.name}` }, game.title);
  return h(
    "section",
    { class: "game paper", "aria-labelledby": heading.id },
    h("div", { class: "top" }, gameIcon(game.name), h("div", null, heading, h("p", null, gameText(game.name, "about") ?? game.text))),
    ladder.length > 0 && h("div", { class: "ladder-part" }, ...ladder),
    form,
  );
}

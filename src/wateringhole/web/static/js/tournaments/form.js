// @ts-check
/** The form of a new tournament. */

import { h } from "../dom.js";
import { gameText } from "../games.js";
import { paws } from "../levels.js";
import { portrait } from "../portrait.js";
import { t } from "../text.js";
import { plannedGames } from "./state.js";

/** @typedef {import("../lobby/game.js").GameInfo} GameInfo */
/** @typedef {{game: string, title: string, bots: string[], people: boolean, programs: boolean, format: string, games: number, table_size: number, pace: number}} NewTournament */

const FORMATS = /** @type {const} */ (["round-robin", "swiss", "ladder", "gauntlet"]);
/** Games for each player, if people can enter and otherwise. */
const GAMES = { people: [4, 8, 12, 20], bots: [12, 40, 120, 400] };
const USUAL_BOTS = 3;

/** @param {GameInfo[]} games @param {(wanted: NewTournament) => void} create */
export function newTournamentForm(games, create) {
  const title = h("input", { class: "field", maxlength: 30, required: true, value: t("cup.defaultTitle") });
  const game = h("select", { class: "field", onchange: drawGame }, ...games.map(({ name, title }) => h("option", { value: name }, title)));
  const format = h("select", { class: "field" }, ...FORMATS.map((name) => h("option", { value: name }, t(`cup.format.${name}`))));
  const size = h("select", { class: "field", onchange: drawTotal });
  const count = h("select", { class: "field", onchange: drawTotal });
  const pace = h("select", { class: "field" }, h("option", { value: "0" }, t("cup.fast")), h("option", { value: "1" }, t("cup.slow")));
  const people = h("input", { type: "checkbox", onchange: drawCounts });
  const programs = h("input", { type: "checkbox", onchange: drawTotal });
  const bots = h("div", { class: "pick", onchange: drawTotal });
  const total = h("p", { class: "small", role: "status" });
  const submit = h("button", { class: "btn primary", type: "submit" });
  const form = h(
    "form",
    { class: "new", onsubmit: send, "aria-label": t("cup.new") },
    h("fieldset", { class: "box paper" }, h("legend", null, t("cup.who")), bots, h("div", { class: "pick" }, choice(people, t("cup.people"), t("cup.peopleText")), choice(programs, t("cup.programs"), t("cup.programsText")))),
    h("fieldset", { class: "box paper" }, h("legend", null, t("cup.how")), ...[labelled(t("cup.name"), title), labelled(t("cup.game"), game), labelled(t("cup.formatLabel"), format), labelled(t("cup.tableSize"), size), labelled(t("cup.gamesEach"), count), labelled(t("cup.pace"), pace)], total, submit),
  );
  drawGame();
  return form;

  function chosenGame() {
    return /** @type {GameInfo} */ (games.find(({ name }) => name === game.value) ?? games[0]);
  }

  function chosenBots() {
    return [...bots.querySelectorAll("input:checked")].map((input) => /** @type {HTMLInputElement} */ (input).value);
  }

  function drawGame() {
    const { name: game, players, least, most, seats_default } = chosenGame();
    bots.replaceChildren(
      ...players.map(({ name, text, level, face }, index) =>
        h(
          "label",
          null,
          h("input", { type: "checkbox", value: name, checked: index < USUAL_BOTS }),
          portrait(name, face),
          h("span", null, h("b", null, name), h("small", null, gameText(game, `bot.${name}`) ?? text)),
          level === null ? null : paws(level),
        ),
      ),
    );
    const sizes = Array.from({ length: most - Math.max(2, least) + 1 }, (_, index) => Math.max(2, least) + index);
    size.replaceChildren(...sizes.map((each) => h("option", { value: String(each), selected: each === Math.min(seats_default, USUAL_BOTS) }, String(each))));
    drawCounts();
  }

  function drawCounts() {
    count.replaceChildren(...(people.checked ? GAMES.people : GAMES.bots).map((each) => h("option", { value: String(each) }, String(each))));
    drawTotal();
  }

  function drawTotal() {
    const players = chosenBots().length;
    const isOpen = people.checked || programs.checked;
    const planned = plannedGames(players, Number(size.value), Number(count.value));
    total.textContent = isOpen ? t("cup.totalOpen") : planned ? t("cup.total", { count: planned }) : t("cup.tooFew", { count: Number(size.value) });
    submit.textContent = isOpen ? t("cup.openEntry") : t("cup.startWith", { count: players });
  }

  /** @param {Event} event */
  function send(event) {
    event.preventDefault();
    create({
      game: game.value,
      title: title.value,
      bots: chosenBots(),
      people: people.checked,
      programs: programs.checked,
      format: format.value,
      games: Number(count.value),
      table_size: Number(size.value),
      pace: Number(pace.value),
    });
  }
}

/** @param {string} label @param {HTMLElement} field */
const labelled = (label, field) => h("label", { class: "fl" }, label, field);

/** @param {HTMLInputElement} input @param {string} label @param {string} text */
const choice = (input, label, text) => h("label", { class: "plain" }, input, h("span", null, h("b", null, label), h("small", null, text)));

// @ts-check
/** The preview of an attack, line by line. The server computes its events. */

import { h, icon } from "/static/js/dom.js";
import { eventIcon } from "./guide.js";
import { capitalized } from "/static/js/text.js";
import { speciesName, speciesOf } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("./types.js").PreviewStep} PreviewStep */

/** Already in the heading of the panel. */
const IN_HEADING = ["SpeciesAttacked"];

/** @param {string} cause @param {string} species */
const feeding = (cause, species) =>
  cause === "scavenger" ? t("preview.scavenges", { species }) : cause === "cooperation" ? t("preview.shares", { species }) : t("preview.eats", { species });

/** @param {PreviewStep[]} steps @param {EvolutionScene} first @param {string[]} names */
export function previewLines(steps, first, names) {
  let before = first;
  const lines = [];
  for (const step of steps) {
    if (!IN_HEADING.includes(step.event.event))
      for (const [text, change] of describe(step, before, names))
        lines.push(line(eventIcon(step.event) ?? "population", text, change));
    before = step.scene;
  }
  const hole = line("watering-hole", t("preview.hole"), `${first.hole} → ${before.hole}`);
  hole.classList.add("last");
  return [...lines, hole];
}

/** @param {string} picture @param {string} text @param {string | null} change */
const line = (picture, text, change) =>
  h("li", null, icon(picture), h("span", null, text), change && h("b", { class: "num" }, change));

/** @param {PreviewStep} step @param {EvolutionScene} before @param {string[]} names @returns {[string, string | null][]} */
function describe({ event, text }, before, names) {
  const board = before.players.find((player) => player.seat === event.seat)?.boards[event.board];
  if (!board) return text.map((line) => [line, null]);
  const species = capitalized(speciesOf(names[event.seat ?? 0], speciesName(board)));
  const { population, food } = board;
  switch (event.event) {
    case "AnimalLost":
      return [[event.cause === "horns" ? t("preview.gored", { species }) : t("preview.loses", { species }), `${population} → ${event.population}`]];
    case "SpeciesDied":
      return [[t("preview.diesOut", { species }), `${population} → 0`]];
    case "SpeciesFed":
      return [[feeding(event.cause, species), t("preview.fed", { before: food, after: event.food, population })]];
    default:
      return text.map((line) => [line, null]);
  }
}

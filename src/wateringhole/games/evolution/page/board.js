// @ts-check
/**
 * A species board: track, ruler, fat store, traits and animal. A board is created once and then updated part by part,
 * so that forty boards stay fast and the focus is kept.
 */

import { setChildren, h, icon, setAttribute } from "/static/js/dom.js";
import { tintOf, traitIcon, traitText } from "./trait-card.js";
import { creature } from "./creature.js";
import { speciesName } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Texts} Texts */

/**
 * What is drawn. Zones are the targets of a card: "population", "body", "lay", "replace:0"…
 * @typedef {object} BoardModel
 * @property {Board} board
 * @property {string} label for screen readers
 * @property {Board|null} [before] the board before my draft, or null if it is new
 * @property {string} [state] lit, aimed, safe, acting, ready, draft, guarding: CSS classes
 * @property {string} [tag] what would happen to the species
 * @property {string} [note] next to the name
 * @property {string} [guard] the trait that protects the species
 * @property {string} [press] what pressing the board does, if it can be pressed
 * @property {boolean} [zones] whether cards can be dropped here
 * @property {Record<string, string>} [lit] the highlighted zones, and what pressing each of them does
 */

/**
 * @typedef {object} BoardPiece
 * @property {HTMLElement} element
 * @property {(model: BoardModel) => void} update
 * @property {() => Board} board the board shown last
 */

const TRACK_LENGTH = 7;

/** @param {Texts} texts @param {boolean} isBig @returns {BoardPiece} */
export function createBoard(texts, isBig) {
  const title = h("div", { class: "title" });
  const scene = h("div", { class: "scene" });
  const traits = h("div", { class: "traits" });
  const track = h("div", { class: "track" });
  const element = h("div", { class: `board ${isBig ? "big" : "compact"}`, role: "group" });
  setChildren(element, isBig ? [title, scene, traits, track] : [scene, track, traits]);
  /** @type {Record<string, HTMLElement>} */
  const extras = {};
  /** @type {Map<HTMLElement, string>} */
  const drawn = new Map();
  /** @type {Board} */
  let shown = { population: 0, body: 0, food: 0, traits: [], fat: 0 };

  /**
   * Redraws a part if its data has changed.
   * @param {HTMLElement} part
   * @param {any} facts
   * @param {() => (Node | string | false)[]} draw
   */
  function patch(part, facts, draw) {
    const signature = JSON.stringify(facts);
    if (drawn.get(part) === signature) return;
    drawn.set(part, signature);
    const zone = part.contains(document.activeElement) && document.activeElement?.getAttribute("data-zone");
    part.replaceChildren(...draw().filter((child) => child !== false));
    if (zone) /** @type {HTMLElement|null} */ (part.querySelector(`button[data-zone="${zone}"]`))?.focus();
  }

  /** @param {string} name @param {string | undefined} facts @param {() => HTMLElement} make */
  function extra(name, facts, make) {
    if (extras[name]?.dataset.facts === facts) return;
    extras[name]?.remove();
    delete extras[name];
    if (facts === undefined) return;
    const made = make();
    made.dataset.facts = facts;
    extras[name] = made;
    element.append(made);
  }

  return {
    element,
    board: () => shown,
    update(model) {
      const { board, before = board, lit = {}, zones = false } = model;
      shown = board;
      const { population, body, food, fat } = board;
      const was = before ?? { population: 0, body: 0, traits: [] };
      setAttribute(element, "aria-label", model.label);
      setAttribute(element, "class", `board ${isBig ? "big" : "compact"} ${model.state ?? ""}`.trim());
      for (const [zone, part] of Object.entries({ body: scene, lay: traits, population: track })) {
        setAttribute(part, "data-zone", zones ? zone : null);
        part.classList.toggle("is-lit", zone in lit);
      }
      if (isBig)
        patch(title, [speciesName(board), model.note], () => [
          h("span", null, speciesName(board)),
          model.note ? h("span", { class: "tag first" }, model.note) : false,
        ]);
      patch(scene, [body, fat, board.traits, was.body, lit.body], () => [
        creature(board),
        ruler(body, was.body),
        h("div", { class: "body-n num" }, icon("body-size"), body),
        board.traits.includes("fat-tissue") && h("div", { class: "store num" }, icon("fat-store"), `${fat}/${body}`),
        lit.body !== undefined && plus("body", lit.body, "grow-body", body),
      ]);
      patch(track, [population, food, was.population, lit.population], () => slots(board, was.population, lit.population));
      patch(traits, [board.traits, was.traits, lit, zones], () => traitLines(board, was.traits, lit, zones));
      extra("tag", model.tag, () => h("span", { class: "target-tag", "aria-hidden": "true" }, model.tag));
      extra("guard", model.guard, () => h("span", { class: "guard" }, traitIcon(model.guard ?? "")));
      extra("press", model.press, () => h("button", { class: "press", type: "button", "aria-label": model.press }));
    },
  };

  /** @param {Board} board @param {string[]} was @param {Record<string, string>} lit @param {boolean} zones */
  function traitLines(board, was, lit, zones) {
    const lines = board.traits.map((trait, slot) => {
      const zone = `replace:${slot}`;
      const line = traitLine(texts, trait, isBig);
      if (was[slot] !== trait) line.classList.add("fresh");
      if (zones) line.dataset.zone = zone;
      if (lit[zone] !== undefined) line.append(zoneButton(zone, lit[zone], "swap", icon("swap")));
      return line;
    });
    if (lit.lay !== undefined)
      lines.push(h("div", { class: "open-slot", "data-zone": "lay" }, t("board.openSlot"), zoneButton("lay", lit.lay, "swap", icon("plus"))));
    if (!lines.length) lines.push(h("div", { class: "none quiet small" }, t("board.noTraits")));
    return lines;
  }
}

/**
 * Creates the mark and name of a trait.
 * @param {Texts} texts
 * @param {string} trait
 * @param {boolean} [withName]
 */
export function traitLine(texts, trait, withName = true) {
  const { name } = traitText(texts, trait);
  return h(
    "div",
    { class: `trait ${tintOf(texts, trait)}`, "data-trait": trait },
    h("span", { class: "mark" }, traitIcon(trait)),
    withName && h("span", null, name),
  );
}

/** @param {number} body @param {number} was */
function ruler(body, was) {
  const notch = (/** @type {number} */ index) =>
    h("i", { class: index < body ? (index < was ? "on" : "on fresh") : null });
  return h("div", { class: "ruler", "aria-hidden": "true" }, Array.from({ length: TRACK_LENGTH }, (_, index) => notch(index)));
}

/** @param {Board} board @param {number} was @param {string | undefined} lit */
function slots({ food, population }, was, lit) {
  const spaces = Array.from({ length: TRACK_LENGTH }, (_, index) => {
    if (index < food) return h("span", { class: "slot fed" }, icon("food-plant"));
    if (index < population) return h("span", { class: `slot hungry${index < was ? "" : " fresh"}` }, icon("population"));
    if (index === population && lit !== undefined) return zoneButton("population", lit, "slot grow", icon("plus"));
    return h("span", { class: "slot none" });
  });
  return [...spaces, h("span", { class: "count num" }, food, h("small", null, "/"), population)];
}

/** @param {string} zone @param {string} label @param {string} kind @param {Node} sign */
const zoneButton = (zone, label, kind, sign) =>
  h("button", { class: `zone ${kind}`, type: "button", "data-zone": zone, "aria-label": label }, sign);

/** @param {string} zone @param {string} label @param {string} kind @param {number} body */
function plus(zone, label, kind, body) {
  const button = zoneButton(zone, label, kind, icon("plus"));
  button.style.setProperty("--notch", String(body));
  return button;
}

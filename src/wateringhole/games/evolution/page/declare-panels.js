// @ts-check
/** The two panels beside the hole while I declare: where a card can go, and my draft in texts. */

import { pluralize, h, icon } from "/static/js/dom.js";
import { tintOf, traitText } from "./trait-card.js";
import { button } from "./panel.js";
import { WAYS, without } from "./steps.js";
import { signed } from "./words.js";

/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").Draft} Draft */
/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {import("./types.js").Texts} Texts */
/** @typedef {DraftStep["step"]} StepKind */

/** For somebody who has never played. @param {Draft} draft */
export function declareHelp(draft) {
  const line = (/** @type {string} */ picture, /** @type {string} */ text) => h("li", null, icon(picture), h("span", null, text));
  return [
    h("h2", null, draft.steps.length ? "Go on, or declare" : "Choose a card"),
    h("p", { class: "small" }, "One card goes into the hole: its number is food for all. Each other card can be"),
    h(
      "ul",
      { class: "ways" },
      line("population", "an animal more (it eats, and it counts)"),
      line("body-size", "a larger body"),
      line("swap", "a trait, in place of another or on a new species"),
      line("card-back", "the price of a new species"),
    ),
  ];
}

/** @param {Texts} texts @param {Card} card @param {DraftStep[]} offers @param {(kinds: StepKind[]) => void} go */
export function wayList(texts, [points, trait], offers, go) {
  const { name, text } = traitText(texts, trait);
  const ways = WAYS.filter(({ kinds }) => offers.some((offer) => kinds.includes(offer.step)));
  return [
    h(
      "div",
      { class: `trait ${tintOf(texts, trait)} chosen-card` },
      h("span", { class: "mark" }, icon(trait)),
      h("h2", null, `${name} `, h("span", { class: "num" }, signed(points))),
    ),
    h("p", { class: "small" }, text, offers.length ? " Where shall it go?" : ""),
    h(
      "ul",
      { class: "ways" },
      ways.map(({ key, text, icon: picture, kinds }) =>
        h(
          "li",
          null,
          h(
            "button",
            { class: "way", type: "button", "data-key": key, "aria-keyshortcuts": key, onclick: () => go(kinds) },
            icon(picture),
            h("span", null, text),
            h("kbd", { "aria-hidden": "true" }, key),
          ),
        ),
      ),
    ),
  ];
}

/**
 * @param {Draft} draft
 * @param {string | null} pending the chosen card
 * @param {{takeBack: (place: number) => void, undo: () => void, startOver: () => void}} acts
 */
export function draftList(draft, pending, { takeBack, undo, startOver }) {
  const owned = draft.boards.length - draft.steps.filter((step) => step.step === "buy").length;
  const steps = draft.steps.map((step, place) => {
    const along = draft.steps.length - 1 - without(draft.steps, place, owned).length;
    const more = along ? `, and ${pluralize(along, "step that rests", "steps that rest")} on it` : "";
    const label = `Take back step ${place + 1}${more}`;
    const onclick = () => takeBack(place);
    return h(
      "li",
      null,
      h("b", { class: "num" }, place + 1),
      h("span", null, step.text ?? ""),
      h("button", { class: "x", type: "button", "aria-label": label, title: label, onclick }, icon("cross")),
    );
  });
  const todo = pending ? `${pending}: pick a lit place` : draft.missing;
  return [
    h("h2", null, "Your declaration"),
    h(
      "ol",
      { class: "steps" },
      steps,
      todo && h("li", { class: "todo" }, h("b", { class: "num" }, draft.steps.length + 1), h("span", null, todo)),
    ),
    draft.steps.length > 0 &&
      h("div", { class: "act only-wide" }, button("Undo", "ghost", undo, { key: "Z" }), button("Start over", "ghost", startOver)),
  ];
}

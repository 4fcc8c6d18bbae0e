// @ts-check
/** The two panels next to the hole during a declaration: the uses of a card, and my draft. */

import { h, icon } from "/static/js/dom.js";
import { tintOf, traitIcon, traitText } from "./trait-card.js";
import { button } from "./panel.js";
import { CARD_USES, withoutStep } from "./steps.js";
import { signed } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").Draft} Draft */
/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {import("./types.js").Texts} Texts */
/** @typedef {DraftStep["step"]} StepKind */

/** Creates the help for new players. @param {Draft} draft */
export function declareHelp(draft) {
  const line = (/** @type {string} */ picture, /** @type {string} */ text) => h("li", null, icon(picture), h("span", null, text));
  return [
    h("h2", null, draft.steps.length ? t("declare.more") : t("declare.choose")),
    h("p", { class: "small" }, t("declare.intro")),
    h(
      "ul",
      { class: "card-uses" },
      line("population", t("declare.asAnimal")),
      line("body-size", t("declare.asBody")),
      line("swap", t("declare.asTrait")),
      line("card-back", t("declare.asPrice")),
    ),
  ];
}

/** @param {Texts} texts @param {Card} card @param {DraftStep[]} offers @param {(kinds: StepKind[]) => void} onUse */
export function cardUsesPanel(texts, [points, trait], offers, onUse) {
  const { name, text } = traitText(texts, trait);
  const uses = CARD_USES.filter(({ kinds }) => offers.some((offer) => kinds.includes(offer.step)));
  return [
    h(
      "div",
      { class: `trait ${tintOf(texts, trait)} chosen-card` },
      h("span", { class: "mark" }, traitIcon(trait)),
      h("h2", null, `${name} `, h("span", { class: "num" }, signed(points))),
    ),
    h("p", { class: "small" }, text, offers.length ? ` ${t("declare.howToUse")}` : ""),
    h(
      "ul",
      { class: "card-uses" },
      uses.map(({ key, text, icon: picture, kinds }) =>
        h(
          "li",
          null,
          h(
            "button",
            { class: "card-use", type: "button", "data-key": key, "aria-keyshortcuts": key, onclick: () => onUse(kinds) },
            icon(picture),
            h("span", null, t(`use.${text}`)),
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
 * @param {{undoStep: (index: number) => void, undo: () => void, startOver: () => void}} callbacks
 */
export function draftPanel(draft, pending, { undoStep, undo, startOver }) {
  const owned = draft.boards.length - draft.steps.filter((step) => step.step === "buy").length;
  const steps = draft.steps.map((step, index) => {
    const dependent = draft.steps.length - 1 - withoutStep(draft.steps, index, owned).length;
    const number = index + 1;
    const label = dependent ? t("draft.undoSteps", { number, count: dependent }) : t("draft.undoStep", { number });
    const onclick = () => undoStep(index);
    return h(
      "li",
      null,
      h("b", { class: "num" }, index + 1),
      h("span", null, step.text ?? ""),
      h("button", { class: "x", type: "button", "aria-label": label, title: label, onclick }, icon("cross")),
    );
  });
  const todo = pending ? t("draft.pending", { card: pending }) : draft.missing;
  return [
    h("h2", null, t("draft.title")),
    h(
      "ol",
      { class: "steps" },
      steps,
      todo && h("li", { class: "todo" }, h("b", { class: "num" }, draft.steps.length + 1), h("span", null, todo)),
    ),
    draft.steps.length > 0 &&
      h("div", { class: "act only-wide" }, button(t("draft.undo"), "ghost", undo, { key: "Z" }), button(t("draft.startOver"), "ghost", startOver)),
  ];
}

// @ts-check
/** The uses of a card, and the removal of a step from a draft. */

/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {DraftStep["step"]} StepKind */

/** @typedef {{key: string, text: "food" | "population" | "body" | "trait" | "species", icon: string, kinds: StepKind[]}} CardUse */

/** The ways to use a card. @type {CardUse[]} */
export const CARD_USES = [
  { key: "F", text: "food", icon: "watering-hole", kinds: ["food"] },
  { key: "P", text: "population", icon: "population", kinds: ["population"] },
  { key: "B", text: "body", icon: "body-size", kinds: ["body"] },
  { key: "T", text: "trait", icon: "swap", kinds: ["lay", "replace"] },
  { key: "N", text: "species", icon: "card-back", kinds: ["buy"] },
];

/**
 * Returns the steps without one of them. Bought boards are numbered after the owned ones. So removing a purchase also
 * removes the steps on its board, and renumbers the boards bought later.
 * @param {DraftStep[]} steps
 * @param {number} removed the index of the step
 * @param {number} owned
 */
export function withoutStep(steps, removed, owned) {
  const step = steps[removed];
  const rest = steps.filter((_, index) => index !== removed);
  if (step.step !== "buy") return rest;
  const board = owned + steps.slice(0, removed).filter((step) => step.step === "buy").length;
  return rest
    .filter((step) => step.board !== board)
    .map((step) => (step.board !== undefined && step.board > board ? { ...step, board: step.board - 1 } : step));
}

// @ts-check
/** The kinds of steps of a draft, and how one is taken out of a list of them. */

/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {DraftStep["step"]} StepKind */

/** @typedef {{key: string, text: string, icon: string, kinds: StepKind[]}} Way */

/** Where a card can go. @type {Way[]} */
export const WAYS = [
  { key: "F", text: "food card for the hole", icon: "watering-hole", kinds: ["food"] },
  { key: "P", text: "one animal more", icon: "population", kinds: ["population"] },
  { key: "B", text: "body one larger", icon: "body-size", kinds: ["body"] },
  { key: "T", text: "trait of a species", icon: "swap", kinds: ["lay", "replace"] },
  { key: "N", text: "pay for a new species", icon: "card-back", kinds: ["buy"] },
];

/**
 * The steps without one of them. Boards that were bought count on from those owned, so a purchase that is taken back
 * takes along what was done to its board, and the boards bought after it move up.
 * @param {DraftStep[]} steps
 * @param {number} place
 * @param {number} owned
 */
export function without(steps, place, owned) {
  const gone = steps[place];
  const rest = steps.filter((_, index) => index !== place);
  if (gone.step !== "buy") return rest;
  const board = owned + steps.slice(0, place).filter((step) => step.step === "buy").length;
  return rest
    .filter((step) => step.board !== board)
    .map((step) => (step.board !== undefined && step.board > board ? { ...step, board: step.board - 1 } : step));
}

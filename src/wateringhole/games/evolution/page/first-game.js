// @ts-check
/** The steps of the first game: what to do next, and what to press for it. No texts and no drawing. */

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").DraftStep} DraftStep */

/** What the user has done about the open request. @typedef {{chosen: number|null, steps: DraftStep[], boards: Board[]}} Progress */
/** @typedef {"food" | "hole" | "species" | "trait" | "declare" | "eat" | "grow" | "last"} LessonName */
/** @typedef {{step: number, name: LessonName, light: string}} LessonStep the light is the selector of what to press */

export const STEPS = 7;
const MOST_TRAITS = 3;
const MOST_ANIMALS = 7;

/** @param {{request: import("/static/js/types.js").RequestMessage, progress: Progress, seat: number}} situation @returns {LessonStep | null} */
export function nextLesson({ request, progress, seat }) {
  const turn = Number(request.scene.turn);
  if (request.request === "feed") return feeding(turn, seat, request.offers.options[0]);
  return request.request === "declare" ? declaring(turn, request.scene.own, progress) : null;
}

/** @param {number} seat @param {number} board */
export const boardSelector = (seat, board) => `.board[data-seat="${seat}"][data-board="${board}"]`;

/** @param {number} step @param {LessonName} name @param {string} light @returns {LessonStep} */
const lesson = (step, name, light) => ({ step, name, light });

/** Returns the step of a later turn. @param {number} turn @param {string} light */
const laterLesson = (turn, light) => (turn === 2 ? lesson(6, "grow", light) : lesson(STEPS, "last", light));

/** @param {number} turn @param {number} seat @param {import("./types.js").FeedOption} option */
function feeding(turn, seat, option) {
  const light = boardSelector(seat, option.board);
  return turn === 1 ? lesson(5, "eat", light) : laterLesson(turn, light);
}

/** @param {number} turn @param {{hand: Card[], boards: Board[]}} own @param {Progress} progress @returns {LessonStep} */
function declaring(turn, { hand, boards }, progress) {
  const next = nextStep(turn, hand, boards.length, progress);
  const light = lightFor(next, progress.chosen);
  if (turn > 1) return laterLesson(turn, light);
  if (next?.step === "food") return progress.chosen === next.card ? lesson(2, "hole", light) : lesson(1, "food", light);
  if (next?.step === "buy") return lesson(3, "species", light);
  return lesson(4, next ? "trait" : "declare", light);
}

/** Returns what to press for a step: its card, then its zone. @param {DraftStep | null} next @param {number | null} chosen */
function lightFor(next, chosen) {
  if (!next) return ".confirm .main";
  if (chosen !== next.card) return `.hand [data-card="${next.card}"]`;
  if (next.step === "food") return ".spot[data-zone=food]";
  if (next.step === "buy") return ".new-species";
  return `.row.mine .board[data-board="${next.board}"] button[data-zone="${next.step}"]`;
}

/**
 * Returns the next step of a sound declaration, or null if it is complete: food first; then in turn 1 a new species with
 * a trait, in turn 2 two more animals, and in the last turn a new species with traits and all other cards as animals.
 * @param {number} turn
 * @param {Card[]} hand
 * @param {number} owned the number of species before the declaration
 * @param {Progress} progress
 * @returns {DraftStep | null}
 */
export function nextStep(turn, hand, owned, { steps, boards }) {
  const free = hand.map((_, card) => card).filter((card) => !steps.some((step) => step.card === card));
  const done = (/** @type {DraftStep["step"]} */ kind) => steps.filter(({ step }) => step === kind).length;
  if (!done("food")) return { step: "food", card: free.reduce((best, card) => (hand[card][0] > hand[best][0] ? card : best), free[0] ?? 0) };
  if (!free.length) return null;
  if (turn !== 2) {
    if (!done("buy")) return { step: "buy", card: free[0] };
    const trait = free.find((card) => hand[card][1] !== "carnivore" && !boards[owned]?.traits.includes(hand[card][1]));
    if (trait !== undefined && done("lay") < (turn === 1 ? 1 : MOST_TRAITS)) return { step: "lay", card: trait, board: owned };
    if (turn === 1) return null;
  }
  const board = boards.reduce((least, { population }, index) => (population < boards[least].population ? index : least), 0);
  const isFull = (boards[board]?.population ?? MOST_ANIMALS) >= MOST_ANIMALS;
  return isFull || done("population") >= (turn === 2 ? 2 : Infinity) ? null : { step: "population", card: free[0], board };
}

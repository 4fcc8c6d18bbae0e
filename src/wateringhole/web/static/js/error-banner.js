// @ts-check
/** The place of a page that tells what went wrong. */

import { Problem } from "./api.js";
import { byId } from "./dom.js";

/** @param {unknown} error what is no problem of the reader's is a bug, and goes on */
export function report(error) {
  if (!(error instanceof Problem)) throw error;
  tell(error.message);
}

/** @param {string} problem in a sentence; empty: there is none */
export function tell(problem) {
  const place = byId("problem");
  place.hidden = problem === "";
  // A screen reader would read out again what is written again.
  if (place.textContent !== problem) place.textContent = problem;
}

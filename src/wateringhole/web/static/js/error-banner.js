// @ts-check
/** The banner that shows an error message. */

import { UserFacingError } from "./api.js";
import { byId } from "./dom.js";

/** Shows an error that is meant for the user, and rethrows any other. @param {unknown} error */
export function reportError(error) {
  if (!(error instanceof UserFacingError)) throw error;
  showError(error.message);
}

/** Shows a message, or hides the banner if the message is empty. @param {string} message */
export function showError(message) {
  const banner = byId("error-banner");
  banner.hidden = message === "";
  // Setting the same text again would make a screen reader repeat it.
  if (banner.textContent !== message) banner.textContent = message;
}

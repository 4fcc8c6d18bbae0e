// @ts-check
/** A section that shows the review of a stored game: it loads the analysis with visible progress, at once or on demand. */

import { h } from "./dom.js";
import { createReview, loadAnalysis } from "./review.js";
import { fromServer } from "./server-text.js";
import { t } from "./text.js";

/**
 * @param {object} options
 * @param {string} options.game the ID of the game
 * @param {string} options.kind of the game
 * @param {string[]} options.names
 * @param {number | null} options.seat mine, or null for a spectator
 * @param {boolean} options.startsAtOnce otherwise a button starts the analysis
 * @param {(frame: number, seat: number) => void} options.jump
 * @returns {HTMLElement}
 */
export function createReviewSection({ game, kind, names, seat, startsAtOnce, jump }) {
  const progress = h("p", { class: "small", role: "status" });
  const button = h("button", { class: "btn", type: "button", onclick: start }, t("review.open"));
  const section = h("section", { class: "review-section", "aria-label": t("review.title") }, startsAtOnce ? progress : button);
  if (startsAtOnce) start();
  return section;

  async function start() {
    section.replaceChildren(progress);
    try {
      const { analysis, refused } = await loadAnalysis(game, (text) => (progress.textContent = text), () => section.isConnected);
      if (analysis) section.replaceChildren(createReview({ analysis, kind, names, seat: seat ?? analysis.lines[0]?.seat ?? 0, isMine: seat !== null, jump }));
      else if (refused) progress.textContent = fromServer(refused);
    } catch {
      progress.textContent = t("review.failed");
    }
  }
}

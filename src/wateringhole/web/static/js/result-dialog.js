// @ts-check
/** The sheets that end something: the game is over, or I was thrown out of it. */

import { byId, h, listed, setText, wantsStillness } from "./dom.js";
import { sheet } from "./sheet.js";

/** @typedef {import("./types.js").RematchMessage} RematchMessage */
/** @typedef {import("./types.js").OverMessage} OverMessage */
/** @typedef {import("./types.js").Standing} Standing */
/** @typedef {import("./types.js").ThrownOutMessage} ThrownOutMessage */

const COUNTING_MS = 900;

/**
 * @param {OverMessage} over
 * @param {number | null} seat
 * @param {Record<string, string>} partNames
 * @param {(() => void) | null} rematch
 * @param {HTMLElement} reopen what opens the sheet again after it was closed
 */
export function openResult({ standings, game_id }, seat, partNames, rematch, reopen) {
  const most = Math.max(1, ...standings.map((standing) => standing.score));
  const kinds = [...new Set(standings.flatMap((standing) => standing.parts.map(([part]) => part)))];
  const rows = standings.map((standing) => resultRow(standing, seat, most, kinds, partNames));
  const legend = kinds.map((part, place) => h("li", null, h("i", { class: `part part-${place}` }), partNames[part] ?? part));
  const winners = standings.filter((standing) => standing.place === 1 && !standing.out);
  const actions = [
    ...(game_id ? [h("a", { class: "btn primary", href: `/replay/${game_id}` }, "Replay")] : []),
    ...(rematch ? [h("button", { class: "btn", type: "button", "data-key": "rematch", onclick: rematch }, "Rematch")] : []),
    h("a", { class: "btn ghost", href: "/" }, "Lobby"),
  ];
  const dialog = sheet("result", whoWins(winners, seat), [h("ol", { class: "result" }, rows), kinds.length > 1 && h("ul", { class: "legend" }, legend)], { actions });
  reopen.hidden = false;
  reopen.onclick = () => dialog.show();
  dialog.show();
  countUp(dialog);
}

/** @param {Standing[]} winners @param {number | null} seat */
function whoWins(winners, seat) {
  const [mine, others] = [winners.filter((each) => each.seat === seat), winners.filter((each) => each.seat !== seat)];
  const who = listed([...mine.map(() => "You"), ...others.map(({ name }) => name)]) || "Nobody";
  if (winners.length > 1) return `${who} win together`;
  return mine.length ? "You win" : `${who} wins`;
}

/** Somebody at the table plays again: my chair is kept there. @param {RematchMessage} message @param {() => void} rematch */
export function offerRematch({ by }, rematch) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("result"));
  const join = h("button", { class: "btn primary", type: "button", onclick: rematch }, "Sit down");
  const said = h("p", { class: "paper rematch", role: "status" }, h("span", null, `${by} plays again and keeps your chair.`), join);
  dialog.querySelector(".rematch")?.remove();
  dialog.querySelector(".inside")?.prepend(said);
  dialog.querySelector("[data-key=rematch]")?.remove();
  if (!dialog.open) dialog.show();
}

/**
 * @param {Standing} standing
 * @param {number | null} seat
 * @param {number} most the best score
 * @param {string[]} kinds of parts
 * @param {Record<string, string>} partNames
 */
function resultRow(standing, seat, most, kinds, partNames) {
  const { place, name, score, parts, out } = standing;
  const told = parts.map(([part, points]) => `${points} ${partNames[part] ?? part}`).join(", ");
  const bars = parts.map(([part, points]) => {
    const style = { "--share": `${(Math.max(points, 0) / most) * 100}%` };
    return h("i", { class: `part part-${kinds.indexOf(part)}`, style }, h("span", { class: "num" }, points || ""));
  });
  return h(
    "li",
    { class: standing.seat === seat ? "mine" : null },
    h("b", { class: "place num" }, out ? "–" : place),
    h("span", { class: "who" }, standing.seat === seat ? `${name} (you)` : name),
    h("b", { class: "score num", "data-score": score }, score),
    out && h("p", { class: "small out" }, out),
    !out && parts.length > 0 && h("div", { class: "bars", role: "img", "aria-label": told }, bars),
  );
}

/** @param {HTMLElement} dialog */
function countUp(dialog) {
  dialog.classList.add("counted");
  if (wantsStillness()) return;
  const scores = [.../** @type {NodeListOf<HTMLElement>} */ (dialog.querySelectorAll("[data-score]"))];
  const start = performance.now();
  const step = (/** @type {number} */ now) => {
    const share = Math.min(1, (now - start) / COUNTING_MS);
    for (const score of scores) setText(score, String(Math.round(Number(score.dataset.score) * share)));
    if (share < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** @param {ThrownOutMessage} message @param {() => void} leave */
export function openThrownOut({ message }, leave) {
  const stay = h("button", { class: "btn primary", type: "button", autofocus: true, onclick: () => dialog.close() }, "Watch on");
  const go = h("button", { class: "btn ghost", type: "button", onclick: leave }, "Leave");
  const why = [h("p", null, message), h("p", { class: "quiet small" }, "The others play on, and you may watch.")];
  const dialog = sheet("thrown-out", "You are out of this game", why, { actions: [stay, go] });
  dialog.showModal();
}

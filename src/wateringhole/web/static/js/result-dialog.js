// @ts-check
/** The sheets shown when the game is over, or when the user was thrown out of it. */

import { botButtons } from "./bot-card.js";
import { byId, h, setText, prefersReducedMotion } from "./dom.js";
import { levelName } from "./levels.js";
import { forfeitText } from "./server-text.js";
import { sheet } from "./sheet.js";
import { formatList, t } from "./text.js";

/** @typedef {import("./types.js").RematchMessage} RematchMessage */
/** @typedef {import("./types.js").OverMessage} OverMessage */
/** @typedef {import("./types.js").SeatInfo} SeatInfo */
/** @typedef {import("./types.js").Standing} Standing */
/** @typedef {import("./types.js").ThrownOutMessage} ThrownOutMessage */

const COUNT_UP_MS = 900;

/**
 * @param {OverMessage} over
 * @param {number | null} seat
 * @param {Record<string, string>} partNames
 * @param {string[]} rules one line each
 * @param {SeatInfo[]} seats
 * @param {(() => void) | null} rematch
 * @param {HTMLElement} reopen the button that reopens the sheet
 * @param {import("./types.js").TableInfo["tournament"]} [tournament] whose game it was
 */
export function openResult({ standings, game_id }, seat, partNames, rules, seats, rematch, reopen, tournament) {
  const best = Math.max(1, ...standings.map((standing) => standing.score ?? 0));
  const kinds = [...new Set(standings.flatMap((standing) => standing.parts.map(([part]) => part)))];
  const rows = standings.map((standing) => resultRow(standing, seat, seats[standing.seat], best, kinds, partNames));
  const legend = kinds.map((part, index) => h("li", null, h("i", { class: `part part-${index}` }), partNames[part] ?? part));
  const winners = standings.filter((standing) => standing.place === 1 && !standing.out);
  const actions = [
    ...(game_id ? [h("a", { class: "btn primary", href: `/replay/${game_id}` }, t("result.replay"))] : []),
    ...(rematch ? [h("button", { class: "btn", type: "button", "data-key": "rematch", onclick: rematch }, t("result.rematch"))] : []),
    tournament ? h("a", { class: "btn ghost", href: tournament.link }, t("result.tournament")) : h("a", { class: "btn ghost", href: "/" }, t("result.lobby")),
  ];
  const dialog = sheet("result", resultTitle(winners, seat), [h("ol", { class: "result" }, rows), kinds.length > 1 && h("ul", { class: "legend" }, legend), h("p", { class: "quiet small" }, rules.join(" · "))], { actions });
  reopen.hidden = false;
  reopen.onclick = () => dialog.show();
  dialog.show();
  countUp(dialog);
}

/** @param {Standing[]} winners @param {number | null} seat */
function resultTitle(winners, seat) {
  const [mine, others] = [winners.filter((each) => each.seat === seat), winners.filter((each) => each.seat !== seat)];
  const names = formatList([...mine.map(() => t("result.you")), ...others.map(({ name }) => name)]);
  if (winners.length === 0) return t("result.noWinner");
  if (winners.length > 1) return t("result.shared", { names });
  return mine.length ? t("result.youWin") : t("result.wins", { name: names });
}

/** Offers a rematch that another player has set up; my seat is reserved there. @param {RematchMessage} message @param {() => void} rematch */
export function offerRematch({ by }, rematch) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("result"));
  const join = h("button", { class: "btn primary", type: "button", onclick: rematch }, t("lobby.sitDown"));
  const offer = h("p", { class: "paper rematch", role: "status" }, h("span", null, t("result.rematchOffer", { name: by })), join);
  dialog.querySelector(".rematch")?.remove();
  dialog.querySelector(".inside")?.prepend(offer);
  dialog.querySelector("[data-key=rematch]")?.remove();
  if (!dialog.open) dialog.show();
}

/**
 * @param {Standing} standing
 * @param {number | null} seat
 * @param {SeatInfo | undefined} info
 * @param {number} best the best score
 * @param {string[]} kinds of parts
 * @param {Record<string, string>} partNames
 */
function resultRow(standing, seat, info, best, kinds, partNames) {
  const { place, name, score, parts, out, reason } = standing;
  const label = parts.map(([part, points]) => `${points} ${partNames[part] ?? part}`).join(", ");
  const bars = parts.map(([part, points]) => {
    const style = { "--share": `${(Math.max(points, 0) / best) * 100}%` };
    return h("i", { class: `part part-${kinds.indexOf(part)}`, style }, h("span", { class: "num" }, points || ""));
  });
  return h(
    "li",
    { class: standing.seat === seat ? "mine" : null },
    h("b", { class: "place num" }, out ? "–" : place),
    h("span", { class: "who" }, botButtons(info), h("span", null, standing.seat === seat ? t("result.me", { name }) : name, info?.bot?.level && h("small", null, levelName(info.bot.level)))),
    h("b", { class: "score num", "data-score": score }, score),
    out && h("p", { class: "small out" }, forfeitText(out, reason)),
    !out && parts.length > 0 && h("div", { class: "bars", role: "img", "aria-label": label }, bars),
  );
}

/** @param {HTMLElement} dialog */
function countUp(dialog) {
  dialog.classList.add("counted");
  if (prefersReducedMotion()) return;
  const scores = [.../** @type {NodeListOf<HTMLElement>} */ (dialog.querySelectorAll("[data-score]"))];
  const start = performance.now();
  const step = (/** @type {number} */ now) => {
    const share = Math.min(1, (now - start) / COUNT_UP_MS);
    for (const score of scores) setText(score, String(Math.round(Number(score.dataset.score) * share)));
    if (share < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** @param {ThrownOutMessage} message @param {() => void} leave */
export function openThrownOut({ message }, leave) {
  const stayButton = h("button", { class: "btn primary", type: "button", autofocus: true, onclick: () => dialog.close() }, t("thrownOut.stay"));
  const leaveButton = h("button", { class: "btn ghost", type: "button", onclick: leave }, t("thrownOut.leave"));
  const body = [h("p", null, message), h("p", { class: "quiet small" }, t("thrownOut.continues"))];
  const dialog = sheet("thrown-out", t("thrownOut.title"), body, { actions: [stayButton, leaveButton] });
  dialog.showModal();
}

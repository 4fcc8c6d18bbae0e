// @ts-check
/** The standings page: the list of tournaments, and one tournament in detail. */

import { UserFacingError, get, idInAddress } from "./api.js";
import { byId, h } from "./dom.js";
import { gameIcon, gameText, loadIcons } from "./games.js";
import { showSiteHeader } from "./site-header.js";
import { crossTable } from "./standings/cross.js";
import { ratingTable } from "./standings/rating.js";
import { formatDateTime, formatList, t } from "./text.js";

/** @typedef {{reason: string, count: number, forfeit: [string, string] | null, game_id: string, names: string[]}} Notable */

const FORMATS = /** @type {const} */ (["round-robin", "gauntlet", "swiss", "ladder"]);

const root = byId("main");
showSiteHeader("/standings");
const chosen = idInAddress();
(chosen ? showOne(chosen) : showAll()).catch((error) => {
  if (!(error instanceof UserFacingError)) throw error;
  root.replaceChildren(h("h1", null, t("standings.title")), h("p", { class: "error paper", role: "alert" }, error.message));
});

async function showAll() {
  const { tournaments, pages, example } = await get("/api/standings");
  await loadIcons(pages);
  root.replaceChildren(
    h("h1", null, t("standings.title")),
    tournaments.length === 0
      ? h("p", { class: "nothing paper" }, t("standings.none", { command: example }))
      : h("ul", { class: "list" }, ...tournaments.map(tournamentItem)),
  );
}

/** @param {any} tournament */
const tournamentItem = (tournament) =>
  h(
    "li",
    null,
    h(
      "a",
      { class: "tb paper", href: `/standings/${encodeURIComponent(tournament.id)}` },
      gameIcon(tournament.game),
      h("span", null, h("b", null, titleOf(tournament)), h("span", { class: "small quiet" }, details(tournament))),
    ),
  );

/** @param {any} tournament */
const details = (tournament) =>
  [
    t("standings.players", { count: tournament.players.length }),
    t("standings.games", { count: tournament.games }),
    tournament.state === "finished" ? t("standings.finished") : t("standings.unfinished"),
    tournament.when ? formatDateTime(tournament.when) : null,
  ]
    .filter(Boolean)
    .join(" · ");

/** @param {string} id */
async function showOne(id) {
  root.replaceChildren(h("h1", null, t("standings.title")), h("p", { class: "nothing paper", role: "status" }, t("standings.computing")));
  const standings = await get(`/api/standings/${encodeURIComponent(id)}`);
  await loadIcons(standings.pages);
  document.title = t("page.titled", { title: titleOf(standings) });
  if (standings.rows.length === 0) {
    root.replaceChildren(h("h1", null, titleOf(standings)), h("p", { class: "nothing paper" }, t("standings.noGames")));
    return;
  }
  root.replaceChildren(
    h("div", { class: "head" }, h("h1", null, titleOf(standings)), h("p", null, details(standings))),
    h("section", { class: "rank paper", "aria-label": t("standings.ratings"), tabindex: "0" }, ratingTable(standings.game, standings.rows)),
    h(
      "div",
      { class: "two" },
      h(
        "section",
        { class: "cross paper", tabindex: "0", "aria-labelledby": "cross" },
        h("h2", { id: "cross" }, t("standings.cross")),
        h("p", { class: "small quiet" }, t("standings.crossText")),
        crossTable(standings.cross),
      ),
      h(
        "section",
        { class: "verdict paper" },
        h("h2", null, t("standings.conclusions")),
        h("ul", null, ...verdicts(standings.better).map((sentence) => h("li", null, sentence))),
        standings.notable.length > 0 && h("h2", null, t("standings.notable")),
        h("ul", { class: "notable" }, ...standings.notable.map((/** @type {Notable} */ game) => notable(standings.game, game))),
      ),
    ),
  );
}

/** Returns the name of a tournament, or its game and its format. @param {any} tournament */
function titleOf({ name, title, display_name: game, format }) {
  if (name) return name;
  const known = FORMATS.find((each) => each === format);
  return known ? t(`format.${known}`, { game }) : title;
}

/** @param {{name: string, than: string[]}[]} better */
const verdicts = (better) =>
  better.length ? better.map(({ name, than }) => t("standings.better", { name, others: formatList(than) })) : [t("standings.noneBetter")];

/** @param {string} game @param {Notable} notable */
function notable(game, { reason, count, forfeit, game_id, names }) {
  const players = names.join(", ");
  const [title, text] = describeNotable(game, reason, count, forfeit);
  return h("li", null, h("a", { href: `/replay/${encodeURIComponent(game_id)}` }, title), h("span", { class: "small quiet" }, t("notable.text", { text, players })));
}

/** @param {string} game @param {string} reason @param {number} count @param {[string, string] | null} forfeit @returns {[title: string, text: string]} */
function describeNotable(game, reason, count, forfeit) {
  const length = gameText(game, "turn.count", { count }) ?? String(count);
  if (forfeit) return [t("notable.forfeit"), `${forfeit[0]}: ${t.find(`forfeit.${forfeit[1]}`) ?? forfeit[1]}`];
  if (reason === "closest") return [t("notable.closest"), t("notable.spread", { count })];
  if (reason === "one-sided") return [t("notable.oneSided"), t("notable.lead", { count })];
  if (reason === "longest") return [t("notable.longest"), length];
  if (reason === "shortest") return [t("notable.shortest"), length];
  return [gameText(game, "highlight.title") ?? t("notable.highlight"), gameText(game, "highlight.count", { count }) ?? String(count)];
}

// @ts-check
/** The standings page: the list of tournaments, and one tournament in detail. */

import { UserFacingError, get } from "./api.js";
import { byId, h, pluralize } from "./dom.js";
import { gameIcon, loadIcons } from "./games.js";
import { showSiteHeader } from "./site-header.js";
import { crossTable } from "./standings/cross.js";
import { ratingTable } from "./standings/rating.js";

const root = byId("main");
showSiteHeader("/standings");
const chosen = /^\/standings\/(.+)$/.exec(location.pathname)?.[1];
(chosen ? showOne(decodeURIComponent(chosen)) : showAll()).catch((error) => {
  if (!(error instanceof UserFacingError)) throw error;
  root.replaceChildren(h("h1", null, "Standings"), h("p", { class: "error paper", role: "alert" }, error.message));
});

async function showAll() {
  const { tournaments, pages, example } = await get("/api/standings");
  await loadIcons(pages);
  root.replaceChildren(
    h("h1", null, "Standings"),
    tournaments.length === 0
      ? h("p", { class: "nothing paper" }, `No tournaments yet. Start one in a terminal: ${example}`)
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
      h("span", null, h("b", null, tournament.title), h("span", { class: "small quiet" }, details(tournament))),
    ),
  );

/** @param {any} tournament */
const details = (tournament) =>
  [
    pluralize(tournament.players.length, "player"),
    `${Number(tournament.games).toLocaleString("en")} games`,
    tournament.state,
    tournament.when ? new Date(tournament.when * 1000).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }) : null,
  ]
    .filter(Boolean)
    .join(" · ");

/** @param {string} id */
async function showOne(id) {
  root.replaceChildren(h("h1", null, "Standings"), h("p", { class: "nothing paper", role: "status" }, "Computing ratings and their intervals from all games…"));
  const standings = await get(`/api/standings/${encodeURIComponent(id)}`);
  await loadIcons(standings.pages);
  document.title = `${standings.title} · Watering Hole`;
  if (standings.rows.length === 0) {
    root.replaceChildren(h("h1", null, standings.title), h("p", { class: "nothing paper" }, "This tournament has no finished games yet."));
    return;
  }
  root.replaceChildren(
    h("div", { class: "head" }, h("h1", null, standings.title), h("p", null, details(standings))),
    h("section", { class: "rank paper", "aria-label": "Ratings", tabindex: "0" }, ratingTable(standings.game, standings.rows)),
    h(
      "div",
      { class: "two" },
      h(
        "section",
        { class: "cross paper", tabindex: "0", "aria-labelledby": "cross" },
        h("h2", { id: "cross" }, "Head-to-head results"),
        h("p", { class: "small quiet" }, "Percentage of shared games in which the row’s player finished ahead of the column’s; a tie counts half."),
        crossTable(standings.cross),
      ),
      h(
        "section",
        { class: "verdict paper" },
        h("h2", null, "Conclusions"),
        h("ul", null, ...standings.verdicts.map((/** @type {string} */ sentence) => h("li", null, sentence))),
        standings.notable.length > 0 && h("h2", null, "Notable games"),
        h("ul", { class: "notable" }, ...standings.notable.map(notable)),
      ),
    ),
  );
}

/** @param {{title: string, game_id: string, text: string}} game */
const notable = ({ title, game_id, text }) =>
  h("li", null, h("a", { href: `/replay/${encodeURIComponent(game_id)}` }, title), h("span", { class: "small quiet" }, text));

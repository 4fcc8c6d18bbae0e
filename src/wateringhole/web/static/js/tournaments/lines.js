// @ts-check
/** Tournaments as lines of a list, for the lobby and the page of tournaments. */

import { h } from "../dom.js";
import { gameIcon } from "../games.js";
import { t } from "../text.js";

/** @typedef {import("./state.js").Summary} Summary */

/** Creates a line for each tournament. @param {Summary[]} tournaments */
export const tournamentLines = (tournaments) =>
  tournaments.map((tournament) =>
    h(
      "li",
      null,
      h(
        "a",
        { class: "tb paper", href: tournament.link },
        gameIcon(tournament.game),
        h("span", null, h("b", null, tournament.title), h("span", { class: "small quiet" }, details(tournament))),
        h("span", { class: `tag ${tournament.state === "running" ? "first" : ""}` }, t(`cup.state.${tournament.state}`)),
      ),
    ),
  );

/** @param {Summary} tournament */
const details = ({ game_title, players, played, planned }) =>
  [game_title, t("standings.players", { count: players }), planned === null ? "" : t("cup.gamesOf", { count: planned, played })].filter(Boolean).join(" · ");

// @ts-check
/** All tournaments, and the form with which the operator starts one. */

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { reportError, showError } from "../error-banner.js";
import { loadIcons } from "../games.js";
import { t } from "../text.js";
import { newTournamentForm } from "./form.js";
import { tournamentLines } from "./lines.js";
import { asOperator, askForToken, operatorToken } from "./operator.js";

const REFRESH_MS = 3000;

/** @param {HTMLElement} root */
export async function showTournaments(root) {
  let lastDrawn = "";
  const list = h("ul", { class: "list" });
  const nothing = h("p", { class: "nothing paper" }, t("cup.none"));
  const form = h("div");
  const start = h("button", { class: "btn primary", type: "button", onclick: () => (operatorToken() ? showForm() : askForToken(showForm)) }, t("cup.new"));
  const all = h("a", { class: "btn", href: "/standings" }, t("cup.allStandings"));
  root.replaceChildren(h("div", { class: "head" }, h("h1", null, t("cup.title")), h("div", { class: "line" }, all, start)), form, list, nothing);
  try {
    const { games } = await get("/api/lobby");
    await loadIcons(games);
    await refresh();
    setInterval(refresh, REFRESH_MS);
    if (location.hash === "#new" && operatorToken()) showForm();
  } catch (error) {
    reportError(error);
  }

  async function refresh() {
    if (document.hidden && lastDrawn) return;
    try {
      const { tournaments } = await get("/api/tournaments");
      showError("");
      const serialized = JSON.stringify(tournaments);
      if (serialized === lastDrawn) return;
      const focused = document.activeElement instanceof HTMLAnchorElement && list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      lastDrawn = serialized;
      list.replaceChildren(...tournamentLines(tournaments));
      nothing.hidden = tournaments.length > 0;
      if (focused) [...list.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
    } catch (error) {
      reportError(error);
    }
  }

  async function showForm() {
    try {
      const { games } = await get("/api/lobby");
      start.hidden = true;
      form.replaceChildren(newTournamentForm(games, create));
      form.querySelector("input")?.focus();
    } catch (error) {
      reportError(error);
    }
  }

  /** @param {import("./form.js").NewTournament} wanted */
  async function create(wanted) {
    const created = await asOperator(async (token) => {
      const { id, link } = await post("/api/tournaments", { token, ...wanted });
      // No one can enter, so there is nothing to wait for.
      if (!wanted.people && !wanted.programs) await post(`/api/tournaments/${id}/start`, { token });
      return link;
    });
    if (created) location.assign(created);
  }
}

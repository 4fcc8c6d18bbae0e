// @ts-check
/** The lobby: new tables, running tables and recent results. */

import { get, myName, post, saveMyName, saveSeatToken, saveSecrets } from "./api.js";
import { byId, h, svg } from "./dom.js";
import { reportError, showError } from "./error-banner.js";
import { loadIcons } from "./games.js";
import { gameCard } from "./lobby/game.js";
import { finishedList, tableList } from "./lobby/lists.js";
import { sheet } from "./sheet.js";
import { showSiteHeader } from "./site-header.js";
import { t } from "./text.js";

/** @typedef {import("./lobby/game.js").GameInfo} GameInfo */
/** @typedef {import("./types.js").TableInfo} TableInfo */

const REFRESH_MS = 3000;

const name = h("span", { class: "small playing-as" });
showSiteHeader("/", name, h("button", { class: "tool naming-tool", type: "button", "aria-label": t("name.change"), onclick: () => openNameSheet() }, h("span", null, t("name.changeWord")), t("name.nameWord")));
drawName();
byId("banner").prepend(landscape());
refresh();
setInterval(refresh, REFRESH_MS);

function drawName() {
  name.textContent = t("lobby.playingAs", { name: myName() || t("lobby.guest") });
}

/** @param {() => void} [then] */
function openNameSheet(then) {
  const input = h("input", { class: "field", id: "name", maxlength: 30, value: myName(), autocomplete: "nickname" });
  const form = h("form", { class: "naming", onsubmit: saveName }, h("label", { for: "name" }, t("name.label")), input, h("button", { class: "btn primary", type: "submit" }, t("name.save")));
  const dialog = sheet("naming", t("name.title"), [form]);
  dialog.showModal();
  input.select();
  /** @param {Event} event */
  function saveName(event) {
    event.preventDefault();
    saveMyName(input.value.trim());
    drawName();
    dialog.close();
    then?.();
  }
}

let lastDrawn = "";
async function refresh() {
  if (document.hidden && lastDrawn) return;
  try {
    const lobby = await get("/api/lobby");
    showError("");
    const serialized = JSON.stringify(lobby);
    if (serialized === lastDrawn) return;
    if (!lastDrawn) await showGames(lobby.games);
    lastDrawn = serialized;
    const tables = [...lobby.open, ...lobby.running];
    byId("tables").replaceChildren(...tableList(tables, lobby.games, takeSeat));
    byId("finished").replaceChildren(...finishedList(lobby.finished));
    const humans = tables.flatMap((/** @type {TableInfo} */ table) => table.seats).filter((seat) => seat.kind === "person" && !seat.remote && seat.here).length;
    byId("presence").textContent = `${t("lobby.people", { count: humans })} · ${t("lobby.playing", { count: lobby.running.length })}`;
  } catch (error) {
    reportError(error);
  }
}

/** @param {import("./lobby/game.js").TablePlan} plan */
async function openTable(plan) {
  try {
    const created = await post("/api/tables", { ...plan, name: myName() || t("lobby.guest") });
    const { table, token } = created;
    if (token) saveSeatToken(table.id, token);
    saveSecrets(created);
    location.assign(table.link);
  } catch (error) {
    reportError(error);
  }
}

/** @param {TableInfo} table */
async function takeSeat(table) {
  try {
    const { token } = await post(`/api/tables/${encodeURIComponent(table.id)}/seat`, { name: myName() || t("lobby.guest") });
    saveSeatToken(table.id, token);
    location.assign(table.link);
  } catch (error) {
    reportError(error);
  }
}

/** @param {GameInfo[]} games */
async function showGames(games) {
  await loadIcons(games);
  byId("games").replaceChildren(...games.map((game) => gameCard(game, openTable)));
  const banner = games.find(({ page }) => page.banner)?.page.banner;
  if (banner) byId("banner").firstElementChild?.after(...(await import(banner)).banner());
}

function landscape() {
  const tree = "M884 150L888 104C866 104 850 96 842 86C870 74 930 72 958 88C948 98 920 104 894 104L892 150Z";
  const farTree = "M1316 146L1319 112C1300 112 1288 106 1284 98C1304 88 1346 88 1362 98C1352 108 1336 112 1324 112L1322 146Z";
  return svg(
    "svg",
    { class: "far", viewBox: "0 0 1440 188", preserveAspectRatio: "xMidYMax slice", "aria-hidden": "true" },
    svg("circle", { cx: 1010, cy: 86, r: 58, fill: "var(--disc)" }),
    svg("path", { d: "M0 150C200 132 420 158 640 146C900 130 1200 156 1440 140V188H0Z", fill: "var(--hill)" }),
    svg("path", { d: "M0 172C260 160 520 178 760 170C1040 160 1240 178 1440 168V188H0Z", fill: "var(--ground)" }),
    svg("path", { d: tree, fill: "var(--figure)", opacity: ".75" }),
    svg("path", { d: farTree, fill: "var(--figure)", opacity: ".6" }),
  );
}

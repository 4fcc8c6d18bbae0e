// @ts-check
/** The lobby: new tables, running tables and recent results. */

import { UserFacingError, forgetSeat, get, myName, post, saveMyName, saveSeatToken, seatedTables } from "./api.js";
import { byId, h, svg } from "./dom.js";
import { reportError, showError } from "./error-banner.js";
import { loadIcons } from "./games.js";
import { beatenHere } from "./ladder.js";
import { gameCard } from "./lobby/game.js";
import { finishedList, tableList } from "./lobby/lists.js";
import { openPlan } from "./lobby/opening.js";
import { patchChildren } from "./patch.js";
import { finishedGames, tableLines } from "./people.js";
import { sheet } from "./sheet.js";
import { showSiteHeader } from "./site-header.js";
import { t } from "./text.js";
import { tournamentLines } from "./tournaments/lines.js";

/** @typedef {import("./lobby/game.js").GameInfo} GameInfo */
/** @typedef {import("./types.js").TableInfo} TableInfo */

const REFRESH_MS = 3000;
const RECENT_GAMES = 3;
/** Tables of this browser that are asked for. */
const MOST_TABLES = 10;

/** My name, games and ratings, once they are loaded. @type {import("./people.js").Me | null} */
let me = null;

const name = h("a", { class: "small playing-as", href: "/me" });
showSiteHeader("/", name, h("button", { class: "tool naming-tool", type: "button", "aria-label": t("name.change"), onclick: () => openNameSheet() }, h("span", null, t("name.changeWord")), t("name.nameWord")));
drawName();
byId("banner").prepend(landscape());
refresh();
setInterval(refresh, REFRESH_MS);

function drawName() {
  document.body.classList.toggle("has-name", Boolean(me?.name));
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
    if (!lastDrawn) await showGames(lobby.games);
    const tables = [...lobby.open, ...lobby.running];
    const own = await myTables(tables);
    const serialized = JSON.stringify([lobby, own]);
    if (serialized === lastDrawn) return;
    lastDrawn = serialized;
    const mine = new Set(own.map(({ id }) => id));
    showMine(own, lobby.games);
    patchChildren(byId("tables"), tableList(tables.filter(({ id }) => !mine.has(id)), lobby.games, takeSeat));
    byId("tournaments-part").hidden = lobby.tournaments.length === 0;
    patchChildren(byId("tournaments"), tournamentLines(lobby.tournaments));
    patchChildren(byId("finished"), finishedList(lobby.finished));
    const humans = tables.flatMap((/** @type {TableInfo} */ table) => table.seats).filter((seat) => seat.kind === "person" && !seat.remote && seat.here).length;
    byId("presence").textContent = `${t("lobby.people", { count: humans })} · ${t("lobby.playing", { count: lobby.running.length })}`;
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

/** Returns my tables: those of my name, otherwise those at which this browser has a seat. @param {TableInfo[]} listed @returns {Promise<import("./people.js").MyTable[]>} */
async function myTables(listed) {
  if (me?.name) return (await get("/api/me/tables")).tables;
  const seated = seatedTables().slice(0, MOST_TABLES);
  const tables = await Promise.all(seated.map((id) => listed.find((table) => table.id === id) ?? privateTable(id)));
  return tables
    .filter((table) => table !== null)
    .filter(({ state }) => state !== "over")
    .map((table) => {
      // Names at a table are distinct.
      const my_seat = table.seats.find(({ name }) => name === (myName() || t("lobby.guest")))?.seat ?? -1;
      return { ...table, my_seat, my_turn: table.asked.includes(my_seat) };
    })
    .sort((one, other) => Number(other.my_turn) - Number(one.my_turn));
}

/** Returns a table that is not listed, or null if it was closed. @param {string} id @returns {Promise<TableInfo | null>} */
async function privateTable(id) {
  try {
    return await get(`/api/tables/${encodeURIComponent(id)}`);
  } catch (error) {
    if (!(error instanceof UserFacingError) || error.status !== 404) throw error;
    forgetSeat(id);
    return null;
  }
}

/** @param {import("./people.js").MyTable[]} tables @param {GameInfo[]} games */
function showMine(tables, games) {
  const lines = [...tableLines(tables, games), ...finishedGames(me?.games.slice(0, RECENT_GAMES) ?? [])];
  patchChildren(byId("my-games"), lines);
  byId("all-games").textContent = me?.name ? t("me.all") : t("me.keep");
}

/** @param {GameInfo[]} games */
async function showGames(games) {
  await loadIcons(games);
  me = /** @type {import("./people.js").Me} */ (await get("/api/me"));
  if (me.name) saveMyName(me.name);
  drawName();
  const { name: myself, beaten, ratings } = me;
  byId("games").replaceChildren(
    ...games.map((game) => {
      const won = new Set([...(beaten[game.name] ?? []), ...beatenHere(game.name)]);
      return gameCard(game, openPlan, won, myself === null ? null : { name: myself, rating: ratings[game.name] });
    }),
  );
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

// @ts-check
/** The page about me: my name and link, my ratings between those of the bots, my games, and my data. */

import { get, post, saveMyName } from "./api.js";
import { byId, h } from "./dom.js";
import { reportError, showError } from "./error-banner.js";
import { loadIcons } from "./games.js";
import { beatenHere } from "./ladder.js";
import { ladderList } from "./lobby/ladder-list.js";
import { openTable, wantsRated } from "./lobby/opening.js";
import { finishedGames, tableLines } from "./people.js";
import { portrait } from "./portrait.js";
import { sheet } from "./sheet.js";
import { showSiteHeader } from "./site-header.js";
import { t } from "./text.js";

/** @typedef {import("./people.js").Me} Me */
/** @typedef {import("./lobby/game.js").GameInfo} GameInfo */

showSiteHeader("/me");
start();

async function start() {
  try {
    await openLink();
    const [me, lobby] = await Promise.all([get("/api/me"), get("/api/lobby")]);
    await loadIcons(lobby.games);
    draw(me, lobby.games);
  } catch (error) {
    reportError(error);
  }
}

/** Opens the person of a secret link, and removes the secret from the address. A second person is asked about first. */
async function openLink() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return;
  history.replaceState(null, "", "/me");
  const { name } = await get("/api/me");
  if (name !== null && !(await confirmed(t("me.switch"), t("me.switchText", { name }), t("me.switch")))) return;
  const opened = await post("/api/me/open", { key });
  saveMyName(opened.name);
}

/** @param {Me} me @param {GameInfo[]} games */
function draw(me, games) {
  byId("me-title").textContent = me.name ?? t("me.title");
  byId("me").replaceChildren(
    ...(me.name === null ? [nameCard(null, true)] : [nameCard(me.name, false), linkCard()]),
    ...(me.tables.length ? [section("me-tables", t("me.tables"), h("ul", { class: "my-games" }, ...tableLines(me.tables, games)))] : []),
    ...games.map((game) => ladderCard(game, me)),
    ...(me.name === null ? [] : [gamesCard(me), dataCard()]),
  );
}

/** @param {string} id @param {string} title @param {...(Node|string|false)} content */
function section(id, title, ...content) {
  return h("section", { class: "paper about-card", "aria-labelledby": id }, h("h2", { id }, title), ...content);
}

/** @param {string|null} name @param {boolean} isNew */
function nameCard(name, isNew) {
  const input = h("input", { class: "field", id: "name", maxlength: 30, value: name ?? "", required: true, autocomplete: "nickname" });
  const form = h("form", { class: "line", onsubmit: save }, h("label", { for: "name" }, t("name.label")), input, h("button", { class: `btn ${isNew ? "primary" : ""}`, type: "submit" }, isNew ? t("me.create") : t("name.save")));
  /** @param {Event} event */
  async function save(event) {
    event.preventDefault();
    await attempt(async () => {
      const saved = await post("/api/me", { name: input.value });
      saveMyName(saved.name);
      await start();
      byId("main").focus();
    });
  }
  return section("me-name", isNew ? t("me.new") : t("name.title"), isNew && h("p", null, t("me.newText")), h("div", { class: "line" }, portrait(name ?? "?"), form));
}

function linkCard() {
  const shown = h("div", { class: "line", "aria-live": "polite" });
  const show = h("button", { class: "btn", type: "button", onclick: () => attempt(showLink) }, t("me.otherDevice"));
  const forget = h("button", { class: "btn ghost", type: "button", onclick: () => attempt(close) }, t("me.forget"));
  async function showLink() {
    const { link } = await post("/api/me/link", {});
    const field = h("input", { class: "field wide", readonly: true, value: new URL(link, location.href).href, "aria-label": t("me.link") });
    const copy = h("button", { class: "btn", type: "button", onclick: () => copyText(field, copy) }, t("me.copy"));
    shown.replaceChildren(field, copy);
    field.select();
  }
  async function close() {
    if (!(await confirmed(t("me.forget"), t("me.forgetText"), t("me.forget")))) return;
    await post("/api/me/close", {});
    location.assign("/");
  }
  return section("me-link", t("me.linkTitle"), h("p", null, t("me.linkText")), h("div", { class: "line" }, show, forget), shown);
}

/** @param {HTMLInputElement} field @param {HTMLButtonElement} button */
async function copyText(field, button) {
  field.select();
  await navigator.clipboard?.writeText(field.value).then(() => (button.textContent = t("me.copied")), () => {});
}

/** @param {GameInfo} game @param {Me} me */
function ladderCard(game, me) {
  const beaten = new Set([...(me.beaten[game.name] ?? []), ...beatenHere(game.name)]);
  const own = me.name === null ? null : { name: me.name, rating: me.ratings[game.name] };
  const list = ladderList(game, beaten, own, (bot) => openTable(game, bot, own !== null && wantsRated()));
  return list.length ? section(`me-${game.name}`, game.title, ...list) : h("span", { hidden: true });
}

/** @param {Me} me */
function gamesCard(me) {
  const list = me.games.length ? h("ul", { class: "my-games" }, ...finishedGames(me.games)) : h("p", null, t("me.noGames"));
  return section("me-games", t("me.games", { count: me.games_total ?? 0 }), list);
}

function dataCard() {
  const remove = h("button", { class: "btn ghost", type: "button", onclick: () => attempt(deleteAll) }, t("me.delete"));
  async function deleteAll() {
    if (!(await confirmed(t("me.delete"), t("me.deleteText"), t("me.deleteNow"), true))) return;
    await post("/api/me/delete", {});
    location.assign("/");
  }
  const download = h("a", { class: "btn", href: "/api/me/export", download: "watering-hole.json" }, t("me.export"));
  return section("me-data", t("me.data"), h("p", null, t("me.dataText")), h("div", { class: "line" }, download, remove));
}

/** Asks in a sheet, and returns whether the answer was yes. @param {string} title @param {string} text @param {string} yes @param {boolean} [isDangerous] @returns {Promise<boolean>} */
function confirmed(title, text, yes, isDangerous = false) {
  return new Promise((resolve) => {
    let answer = false;
    const agree = h("button", { class: `btn ${isDangerous ? "danger" : "primary"}`, type: "button", onclick: () => ((answer = true), dialog.close()) }, yes);
    const cancel = h("button", { class: "btn", type: "button", onclick: () => dialog.close() }, t("me.cancel"));
    const dialog = sheet("confirm", title, [h("p", null, text)], { actions: [cancel, agree], onclose: () => resolve(answer) });
    dialog.showModal();
    cancel.focus();
  });
}

/** Runs an action of a button, and shows its error. @param {() => Promise<void>} action */
async function attempt(action) {
  try {
    showError("");
    await action();
  } catch (error) {
    reportError(error);
  }
}

// @ts-check
/** One tournament, followed live: its progress, its standings and its games. */

import { UserFacingError, get, joinAddress, post } from "../api.js";
import { copyField } from "../copy-field.js";
import { h, setChildren, setText } from "../dom.js";
import { reportError, showError } from "../error-banner.js";
import { gameText, loadIcons } from "../games.js";
import { joinCommand } from "../invite.js";
import { openMyTable } from "../people.js";
import { portrait } from "../portrait.js";
import { fromServer } from "../server-text.js";
import { ratingTable } from "../standings/rating.js";
import { formatList, formatNumber, t } from "../text.js";
import { asOperator, askForToken, operatorToken } from "./operator.js";
import { inOrder, isLive, myAction, operatorActions, timeLeft, undecided } from "./state.js";

/** @typedef {import("./state.js").Tournament} Tournament */

const REFRESH_MS = 2000;

/** @param {string} id @param {HTMLElement} root */
export async function followTournament(id, root) {
  const address = `/api/tournaments/${encodeURIComponent(id)}`;
  const { parts, screen } = createParts();
  /** What each part showed last, so that a part whose content is the same keeps its focus. @type {Map<HTMLElement, string>} */
  const drawn = new Map();
  /** @type {Tournament | null} */
  let shown = null;
  /** The games of this server, with their bots. @type {import("../lobby/game.js").GameInfo[]} */
  let games = [];
  try {
    ({ games } = await get("/api/lobby"));
    await loadIcons(games);
  } catch (error) {
    return reportError(error);
  }
  if (await refresh()) return showWayBack(root);
  setInterval(() => {
    if (shown === null || (isLive(shown.state) && !document.hidden)) refresh();
  }, REFRESH_MS);

  /** Shows the tournament as it is now. Returns whether it does not exist. */
  async function refresh() {
    try {
      draw(await get(address));
      showError("");
    } catch (error) {
      reportError(error);
      return error instanceof UserFacingError && error.status === 404;
    }
    return false;
  }

  /** @param {Tournament} tournament */
  function draw(tournament) {
    if (shown === null) root.replaceChildren(...screen);
    shown = tournament;
    const { title, state, rows } = tournament;
    const isReady = Boolean(tournament.me?.table);
    document.title = isReady ? t("cup.readyTitle") : t("page.titled", { title });
    setText(parts.name, title);
    setText(parts.state, t(`cup.state.${state}`));
    setText(parts.about, t("cup.about", { game: tournament.game_title, format: t.find(`cup.format.${tournament.format}`) ?? tournament.format, count: tournament.players }));
    drawPart(parts.actions, [state, tournament.players, operatorToken()], () => actions(tournament));
    drawPart(parts.mine, [state, tournament.me, tournament.people, tournament.arrival_seconds], () => mine(tournament));
    drawPart(parts.notice, [state, tournament.reason], () => notice(tournament));
    drawPart(parts.progress, [tournament.played, tournament.planned, tournament.running.length, state, tournament.seconds_left && timeLeft(tournament.seconds_left)], () => progress(tournament));
    drawPart(parts.standings, [rows, rows.length ? null : tournament.entrants, state === "open"], () => standings(tournament, games.find(({ name }) => name === tournament.game)?.players ?? []));
    drawPart(parts.joining, [state === "open" && tournament.programs], () => joining(tournament));
    drawPart(parts.running, [tournament.running.map(({ id, turn }) => [id, turn]), state], () => running(tournament));
    drawPart(parts.finished, [tournament.finished.map(({ game_id }) => game_id)], () => finished(tournament));
  }

  /** Draws a part again if what it shows has changed. @param {HTMLElement} part @param {unknown} content @param {() => Node[]} create */
  function drawPart(part, content, create) {
    const serialized = JSON.stringify(content);
    if (drawn.get(part) === serialized) return;
    drawn.set(part, serialized);
    const focused = document.activeElement instanceof HTMLElement && part.contains(document.activeElement) ? document.activeElement.dataset["key"] : undefined;
    const children = create();
    part.hidden = children.length === 0;
    setChildren(part, children);
    // A part that is drawn again keeps the focus at the same control, or at itself.
    if (focused !== undefined) (/** @type {HTMLElement | null} */ (part.querySelector(`[data-key="${CSS.escape(focused)}"]`)) ?? root.closest("main"))?.focus();
  }

  /** @param {() => Promise<Tournament>} send */
  async function act(send) {
    try {
      showError("");
      draw(await send());
    } catch (error) {
      reportError(error);
    }
  }

  /** The operator's buttons. @param {Tournament} tournament */
  function actions({ state, players }) {
    const possible = operatorActions(state);
    if (possible.length === 0) return [];
    if (operatorToken() === null) return [h("button", { class: "btn ghost", type: "button", "data-key": "operator", onclick: () => askForToken(refresh) }, t("cup.operator"))];
    return possible.map((action, index) => {
      const label = action === "start" ? t("cup.startWith", { count: players }) : t(`cup.do.${action}`);
      const send = async () => {
        const changed = await asOperator((token) => post(`${address}/${action}`, { token }));
        if (changed) draw(changed);
      };
      return h("button", { class: `btn ${index === 0 && action !== "cancel" ? "primary" : "ghost"}`, type: "button", "data-key": action, onclick: send }, label);
    });
  }

  /** My game, or how I enter. @param {Tournament} tournament */
  function mine(tournament) {
    const { me } = tournament;
    if (me?.table) {
      const table = me.table;
      const minutes = Math.max(1, Math.round(tournament.arrival_seconds / 60));
      return [
        h("div", { role: "alert" }, h("b", null, t("cup.ready")), h("p", null, t("cup.readyText", { names: others(table.seats, table.my_seat), count: minutes }))),
        h("button", { class: "btn primary", type: "button", "data-key": "play", onclick: () => openMyTable(table) }, t("me.play")),
      ];
    }
    const action = myAction(tournament);
    if (action === "name") return [h("p", null, t("cup.nameFirst")), h("a", { class: "btn primary", href: "/me", "data-key": "enter" }, t("me.create"))];
    if (action === "enter") return [h("p", null, t("cup.enterText", { count: tournament.games })), h("button", { class: "btn primary", type: "button", "data-key": "enter", onclick: () => act(() => post(`${address}/enter`, {})) }, t("cup.enter", { name: me?.name ?? "" }))];
    if (action === "leave") return [h("p", null, h("b", null, t("cup.entered"))), h("button", { class: "btn", type: "button", "data-key": "enter", onclick: () => act(() => post(`${address}/leave`, {})) }, t("cup.leave"))];
    if (me !== null && me.entrant !== null && tournament.state === "running") return [h("p", { role: "status" }, t("cup.wait"))];
    return [];
  }
}

/** Shows a link to the other tournaments, below the error. @param {HTMLElement} root */
const showWayBack = (root) => root.append(h("p", null, h("a", { class: "btn primary", href: "/tournaments" }, t("cup.all"))));

/** Creates the parts of the screen, and the screen with them. */
function createParts() {
  const box = (/** @type {string} */ name) => h("section", { class: `box paper ${name}`, hidden: true });
  const parts = {
    name: h("span"),
    state: h("span", { class: "tag" }),
    about: h("p"),
    actions: h("div", { class: "line" }),
    mine: box("ready"),
    notice: box("notice"),
    progress: box("progress"),
    standings: h("section", { class: "rank paper", "aria-label": t("standings.ratings"), tabindex: "0" }),
    joining: box("joining"),
    running: box("watch"),
    finished: box("watch"),
  };
  const screen = [
    h("div", { class: "head" }, h("div", null, h("h1", null, parts.name, parts.state), parts.about), parts.actions),
    parts.mine,
    parts.notice,
    parts.progress,
    h("div", { class: "cup-cols" }, h("div", null, parts.standings, parts.joining), h("div", null, parts.running, parts.finished)),
  ];
  return { parts, screen };
}

/** @param {Tournament} tournament */
function notice({ state, reason }) {
  if (state === "interrupted") return [h("p", null, h("b", null, t("cup.interrupted")), " ", fromServer(reason ?? ""))];
  return state === "cancelled" ? [h("p", null, t("cup.cancelledText"))] : [];
}

/** @param {Tournament} tournament */
function progress({ played, planned, running, seconds_left }) {
  if (planned === null) return [];
  const left = seconds_left === null ? null : timeLeft(seconds_left);
  return [
    h("p", { class: "count num" }, formatNumber(played), " ", h("small", null, t("cup.ofGames", { count: planned }))),
    h("progress", { max: planned, value: played, "aria-label": t("cup.progress") }),
    h("p", { class: "line small" }, h("span", null, t("cup.runningGames", { count: running.length })), left && h("span", null, t(`cup.left.${left.unit}`, { count: left.count }))),
  ];
}

/** @param {Tournament} tournament @param {import("../types.js").BotInfo[]} bots */
function standings({ game, rows, entrants, number, state }, bots) {
  if (rows.length === 0) return [h("h2", null, t("cup.players", { count: entrants.length })), entrantList(entrants, bots)];
  const open = undecided(rows);
  const leads = rows[0]?.name ?? "";
  return [
    ratingTable(game, rows),
    h("p", { class: "small" }, h("b", null, state === "over" ? t("cup.best", { name: leads }) : t("cup.leads", { name: leads })), " ", open.length > 1 ? t("cup.undecided", { names: formatList(open) }) : t("cup.decided")),
    h("p", null, h("a", { href: `/standings/${number}` }, t("cup.details"))),
  ];
}

/** @param {import("./state.js").Entrant[]} entrants @param {import("../types.js").BotInfo[]} bots */
const entrantList = (entrants, bots) =>
  h(
    "ul",
    { class: "entrants" },
    ...entrants.map(({ name, kind, player, here }) => h("li", null, portrait(name, bots.find((bot) => bot.name === player)?.face), h("span", null, h("b", null, name), h("small", null, [t(`cup.kind.${kind}`), here ? "" : t("cup.gone")].filter(Boolean).join(", "))))),
  );

/** How a program joins. @param {Tournament} tournament */
function joining({ id, state, programs }) {
  if (state !== "open" || !programs) return [];
  return [h("h2", null, t("cup.programs")), h("p", { class: "small" }, t("room.programHint")), copyField(t("room.command"), joinCommand(joinAddress(id), id, "mine.py:Mine"))];
}

/** @param {Tournament} tournament */
function running({ running, state, game }) {
  if (state !== "running") return [];
  const lines = running.map((table) => {
    const names = formatList(table.seats.map(({ name }) => name));
    const turn = table.turn ? (gameText(game, "turn.inline", { number: table.turn }) ?? String(table.turn)) : "";
    return h("li", null, h("span", null, names, h("small", null, turn)), h("a", { class: "btn", href: table.link, "data-key": table.id, "aria-label": t("cup.watchOf", { names }) }, t("lobby.watch")));
  });
  return [h("h2", null, t("cup.watch")), lines.length ? h("ul", null, ...lines) : h("p", { class: "small" }, t("cup.noneRunning"))];
}

/** @param {Tournament} tournament */
function finished({ finished }) {
  if (finished.length === 0) return [];
  const lines = finished.map((game) => {
    const names = game.names.join(", ");
    const places = inOrder(game).map(({ name, score }, index) => [index ? ", " : "", index ? name : h("b", null, name), score === null ? "" : ` ${formatNumber(score)}`]);
    return h("li", null, h("span", null, ...places.flat()), h("a", { class: "btn", href: `/replay/${encodeURIComponent(game.game_id)}`, "data-key": game.game_id, "aria-label": t("lobby.replayOf", { names }) }, t("lobby.replay")));
  });
  return [h("h2", null, t("lobby.finished")), h("ul", null, ...lines)];
}

/** @param {import("../types.js").TableInfo["seats"]} seats @param {number} mine */
const others = (seats, mine) => formatList(seats.filter(({ seat }) => seat !== mine).map(({ name }) => name));

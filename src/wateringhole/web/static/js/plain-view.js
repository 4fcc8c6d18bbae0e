// @ts-check
/** The table of a game without its own view: the players, recent events, the view as a tree, and a form. */

import { botButtons } from "./bot-card.js";
import { h, setChildren } from "./dom.js";
import { patchChildren } from "./patch.js";
import { createForm } from "./plain/form.js";
import { createTree } from "./plain/tree.js";
import { absenceLabel, botLabel } from "./player-status.js";
import { formatList, t } from "./text.js";

/** @typedef {import("./types.js").BoardView} BoardView */
/** @typedef {import("./types.js").BoardViewOptions} BoardViewOptions */
/** @typedef {import("./types.js").Guide} Guide */
/** @typedef {import("./types.js").SeatInfo} SeatInfo */
/** @typedef {import("./types.js").Standing} Standing */

/** @typedef {{turn: string, view: any, news: string[], views?: any[]}} PlainScene views by seat, only in a replay */

/** @param {HTMLElement} root @param {BoardViewOptions} options @returns {BoardView} */
export function createBoardView(root, { names, seat: me, interactive }) {
  const form = createForm(names);
  const players = h("ul", { class: "players" });
  const news = h("ol", { class: "news" });
  const narration = h("section", { class: "paper", "aria-labelledby": "plain-news" }, h("h2", { id: "plain-news" }, t("log.lines")), news);
  const trees = h("div", { class: "trees" });
  root.classList.add("plain");
  root.replaceChildren(
    h("div", { class: "main" }, interactive && form.root, trees),
    h("div", { class: "side" }, h("section", { class: "paper", "aria-labelledby": "plain-players" }, h("h2", { id: "plain-players" }, t("plain.players")), players), narration),
  );

  /** Trees by title. @type {Map<string, ReturnType<typeof createTree>>} */
  const drawn = new Map();
  /** The view of the last request, for a game whose scenes contain none. @type {any} */
  let lastView = null;
  /** @type {SeatInfo[]} */
  let seatInfos = [];
  /** @type {number[]} */
  let waiting = [];
  /** @type {Standing[]} */
  let standings = [];

  /** @param {[title: string, value: any][]} parts empty ones are left out */
  function drawTrees(parts) {
    const shown = parts.filter(([, value]) => value !== null && value !== undefined && Object.keys(value).length > 0);
    const wanted = shown.map(([title, value]) => {
      const tree = drawn.get(title) ?? createTree(title, names);
      drawn.set(title, tree);
      tree.draw(value);
      return tree.root;
    });
    const nothing = h("p", { class: "paper nothing" }, t("plain.nothing"));
    setChildren(trees, wanted.length ? wanted : [nothing]);
  }

  /** @param {PlainScene} scene @param {any} event @param {number | null | undefined} viewpoint */
  function draw(scene, event, viewpoint) {
    narration.hidden = viewpoint !== undefined || scene.news.length === 0;
    news.replaceChildren(...scene.news.map((line) => h("li", null, line)));
    if (viewpoint === undefined) {
      const title = scene.view || form.isAsked() ? t("table.main") : t("plain.lastTurn");
      drawTrees([[title, scene.view ?? lastView]]);
      return;
    }
    const { event: name, ...fields } = event ?? {};
    const views = scene.views ?? [];
    const seen =
      viewpoint === null
        ? [[t("table.main"), scene.view], ...views.map((view, seat) => [t("plain.onlySeen", { name: names[seat] ?? "" }), onlyIn(view, scene.view)])]
        : [[t("table.main"), views[viewpoint]]];
    drawTrees(/** @type {[string, any][]} */ ([...(viewpoint === null && name ? [[t("plain.event", { name }), fields]] : []), ...seen]));
  }

  function drawPlayers() {
    patchChildren(
      players,
      names.map((name, seat) => {
        const info = seatInfos.find((each) => each.seat === seat);
        const result = standings.find((standing) => standing.seat === seat);
        const tags = [
          seat === me && t("plain.you"),
          botLabel(info),
          absenceLabel(info),
          result && (result.out ? t("plain.thrownOut") : t("plain.place", { place: result.place })),
          result && !result.out && typeof result.score === "number" && t("plain.score", { score: result.score }),
        ];
        return h(
          "li",
          { class: waiting.includes(seat) ? "acting" : null },
          ...botButtons(info),
          h("b", null, name),
          waiting.includes(seat) && h("span", { class: "tag first" }, t("plain.theirTurn")),
          ...tags.filter((tag) => typeof tag === "string").map((tag) => h("span", { class: "tag" }, tag)),
        );
      }),
    );
  }

  draw({ turn: "", view: null, news: [] }, null, undefined);
  drawPlayers();
  return {
    async show(scene, event, { viewpoint } = {}) {
      standings = [];
      draw(/** @type {PlainScene} */ (scene), event, viewpoint);
      drawPlayers();
    },
    ask(request, actions) {
      lastView = request.offers.view;
      form.ask(request, actions);
      draw(request.scene, null, undefined);
      actions.hint(t("table.yourTurnTo", { task: request.request }));
    },
    stopAsking: () => form.stop(),
    onReply(message) {
      if (message.type === "refused") form.showError(/** @type {string} */ (message.message));
    },
    onDisconnect() {},
    updateSeats(infos, asked) {
      seatInfos = infos;
      waiting = asked;
      drawPlayers();
    },
    seatElement: (seat) => players.children[seat],
    skip() {},
    handleKey: (event) => form.press(event),
    showResult(results) {
      standings = results;
      waiting = [];
      drawPlayers();
    },
  };
}

/** Returns the fields of one view that are missing or different in another. @param {any} view @param {any} other */
const onlyIn = (view, other) =>
  Object.fromEntries(Object.entries(view ?? {}).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(other?.[name])));

/** @type {Guide} */
export const guide = {
  phases: [],
  facts: (/** @type {PlainScene} */ scene) => ({ phase: "", turn: scene.turn, facts: [] }),
  hint: (_, names, seat, waiting) => {
    const who = waiting.filter((each) => each !== seat).map((each) => names[each] ?? "");
    return who.length ? t("plain.waitingFor", { names: formatList(who) }) : t("plain.continues");
  },
  help: ({ about }) => [{ title: t("plain.game"), lines: [about] }],
  keys: [["1 … 9", t("plain.keyAnswer")]],
  asks: {},
  parts: {},
  icon: () => null,
};

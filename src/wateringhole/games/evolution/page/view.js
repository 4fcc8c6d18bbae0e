// @ts-check
/** The table of Evolution: draws scenes, plays events, and lets a task light up what I can do. */

import { setChildren, pluralize, defineIcons, h, setAttribute, svg, prefersReducedMotion } from "/static/js/dom.js";
import { traitText } from "./trait-card.js";
import { arrangeTask } from "./arrange.js";
import { createChoices } from "./choices.js";
import { creature } from "./creature.js";
import { declareTask } from "./declare.js";
import { bubble } from "./tooltip-text.js";
import { feedTask } from "./feed.js";
import { enableGestures } from "./gestures.js";
import { guide } from "./guide.js";
import { createHand } from "./hand.js";
import { createHole } from "./hole.js";
import { ICONS } from "./icons.js";
import { createMine } from "./own-area.js";
import { createMotion } from "./motion.js";
import { refill } from "./panel.js";
import { arrowParts, land } from "./scenery.js";
import { createSeat } from "./seats.js";
import { createStory, isPartOfAttack } from "./event-animation.js";
import { createTip } from "./tooltip.js";
import { hasDeclared, sentence } from "./words.js";

export { guide };

defineIcons(ICONS);

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("/static/js/types.js").BoardView} BoardView */
/** @typedef {import("/static/js/types.js").BoardViewOptions} BoardViewOptions */
/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("/static/js/types.js").SeatInfo} SeatInfo */
/** @typedef {import("./types.js").SeatedPlayer} SeatedPlayer */
/** @typedef {import("/static/js/types.js").Standing} Standing */
/** @typedef {import("./board.js").BoardModel} BoardModel */
/** @typedef {import("./task-context.js").Task} Task */

/** Animals that come to the hole at the end. */
const WALKERS = 6;

/** @param {HTMLElement} root @param {BoardViewOptions} options @returns {BoardView} */
export function createBoardView(root, { names, seat, texts }) {
  const spoken = names.map((name, each) => (each === seat ? "You" : name));
  const left = h("aside", { class: "panel paper left", "aria-label": "What you can do", hidden: true });
  const right = h("aside", { class: "panel paper right", "aria-label": "What you are about to do", hidden: true });
  const confirm = h("div", { class: "confirm", hidden: true });
  const hole = createHole();
  const hand = createHand(texts);
  const mine = createMine(texts, seat ?? -1, hand.sorter);
  const others = h("div", { class: "others" });
  const below = h("div", { class: "others below" });
  const arrow = svg("svg", { class: "arrow", "aria-hidden": "true" });
  root.classList.add("evolution");
  // The order of the tab key: what I can do, my draft, my row, my hand, the main button, the hole, the others.
  root.replaceChildren(land(), left, right, mine.element, hand.element, confirm, hole.element, others, below, arrow);
  const motion = createMotion(root);
  const choices = createChoices(root);
  const tip = createTip(root, ".board, .card, .mini", describe);
  /** @type {Map<number, ReturnType<typeof createSeat>>} */
  const seats = new Map();
  const story = createStory({ motion, hole, boardAt, headOf: (each) => (each === seat ? mine.head : seats.get(each)?.head) });

  /** @type {EvolutionScene | null} */
  let scene = null;
  /** @type {number | null | undefined} */
  let eyes;
  /** @type {Task | null} */
  let task = null;
  /** My answer, kept in sight until it takes effect. @type {Task | null} */
  let given = null;
  /** @type {SeatInfo[]} */
  let people = [];
  /** @type {number[]} */
  let waiting = [];
  /** @type {Map<number, import("./seats.js").Result>} */
  let results = new Map();
  /** Whether cards that come to my hand now are seen coming. */
  let isDealing = false;
  /** Counts what was shown: a later scene overtakes one that is still being played. */
  let shows = 0;
  /** An attack under way. @type {[[number, number], [number, number]] | null} */
  let raid = null;

  /** @param {number} each @param {number} board */
  function boardAt(each, board) {
    return each === seat && isSeated() ? mine.row.at(board) : seats.get(each)?.row.at(board);
  }

  const isSeated = () => seat !== null && scene?.own != null;

  /** @param {number} each @param {Board[]} boards @returns {BoardModel[]} */
  function models(each, boards) {
    return boards.map((board, place) => {
      const label = sentence(texts, spoken[each], place, board);
      if (!task) {
        // My declaration stays in sight until it takes effect, but nothing on it can be pressed.
        const { before, state, note } = given?.decorate(each, place) ?? {};
        return { board, label, before, state, note };
      }
      const look = task.decorate(each, place);
      const guard = look.guard ? ` Protected: ${traitText(texts, look.guard).name}.` : "";
      return { board, label: label + guard, ...look };
    });
  }

  /** @param {SeatedPlayer} player @param {number} order */
  function drawSeat(player, order) {
    if (!scene) return;
    const piece = seats.get(player.seat) ?? createSeat(texts, player.seat);
    seats.set(player.seat, piece);
    const isAllSeeing = eyes !== undefined;
    const isOpen = isAllSeeing && (eyes === null || eyes === player.seat);
    piece.update({
      name: spoken[player.seat],
      info: people[player.seat],
      order,
      isActing: (isAllSeeing ? scene.acting : waiting).includes(player.seat),
      note: noteOn(player.seat),
      result: results.get(player.seat) ?? null,
      handSize: player.hand_size ?? player.hand?.length ?? 0,
      hand: isOpen ? (player.hand ?? null) : null,
      showsHand: isAllSeeing,
      bag: isOpen ? (player.bag ?? null) : null,
      boards: models(player.seat, player.boards),
    });
  }

  /** @param {number} each */
  function noteOn(each) {
    if (scene?.phase !== "choose" || !scene.turn || eyes !== undefined) return waiting.includes(each) ? "is feeding" : "";
    if (people[each]?.out) return "";
    if (waiting.includes(each)) return "is choosing";
    return hasDeclared(scene, each) ? "has declared" : "still to declare";
  }

  function render() {
    if (!scene) return;
    const { players, own } = scene;
    const seated = isSeated();
    setAttribute(root, "data-mode", seated ? "seat" : "gallery");
    players.forEach((player, place) => {
      if (!seated || player.seat !== seat) drawSeat(player, place + 1);
    });
    const here = players.findIndex((player) => player.seat === seat);
    const around = seated
      ? [...players.slice(here + 1), ...players.slice(0, here)]
      : [...players].sort((a, b) => a.seat - b.seat);
    const pieces = around.map((player) => /** @type {HTMLElement} */ (seats.get(player.seat)?.element));
    const upper = seated ? pieces.length : Math.ceil(pieces.length / 2);
    setChildren(others, pieces.slice(0, upper));
    setChildren(below, pieces.slice(upper));
    setAttribute(root, "data-others", String(seated ? pieces.length : upper));
    drawOwn(own, here);
    const places = task?.places() ?? given?.places();
    hole.update({
      scene: { ...scene, food_cards: scene.food_cards.map(asSeen) },
      names: spoken,
      seat,
      zone: task !== null && (places?.zone ?? false),
      lit: task ? (places?.food ?? null) : null,
      mine: places?.mine ?? null,
    });
    drawArrow();
  }

  /** What I can do has changed: the panels too, which else stay as they are under a finger that comes down. */
  function repaint() {
    task?.paint();
    render();
  }

  /**
   * A replay through a seat's eyes keeps the others' food cards face down until they are turned.
   * @param {{seat: number, points: number|null}} card
   */
  const asSeen = (card) => (eyes != null && scene?.phase === "choose" && card.seat !== eyes ? { ...card, points: null } : card);

  /** @param {number} me */
  function noteOnMe(me) {
    const result = results.get(me);
    if (result) return result.place === null ? result.told : `place ${result.place}, ${result.told}`;
    if (people[me]?.out) return "you have left";
    return scene && hasDeclared(scene, me) ? "you have declared" : "";
  }

  /** @param {EvolutionScene["own"]} own @param {number} here */
  function drawOwn(own, here) {
    mine.element.hidden = hand.element.hidden = !own;
    if (!own || seat === null) return;
    const row = task?.row() ?? given?.row() ?? { boards: own.boards, places: own.boards.map((_, index) => index) };
    mine.update({
      order: here + 1,
      bag: own.bag,
      isActing: waiting.includes(seat) || task !== null,
      note: noteOnMe(seat),
      boards: models(seat, row.boards),
      places: row.places,
      buy: task?.places().buy ?? {},
    });
    const { chosen, steps } = (task ?? given)?.hand() ?? { chosen: null, steps: [] };
    const dealt = hand.update({ cards: own.hand, chosen, steps, asked: task?.hand().asked ?? false });
    if (isDealing) for (const card of dealt) motion.appear(card);
  }

  function drawArrow() {
    const aimed = task?.aim() ?? raid;
    const [hunter, target] = aimed ? aimed.map(([each, board]) => boardAt(each, board)) : [];
    arrow.replaceChildren(...(hunter && target ? arrowParts(root, hunter, target) : []));
  }

  /** Who has laid a card at the hole; mine lies there since I chose it. @param {EvolutionScene} before @param {EvolutionScene} after */
  const laid = (before, after) =>
    after.players.map((player) => player.seat).filter((each) => each !== seat && hasDeclared(after, each) && !hasDeclared(before, each));

  /** @param {HTMLElement} target */
  function describe(target) {
    // While a card is chosen the boards must stay in sight; the panel at the left explains the card.
    if (!scene || (target.matches(".card") && root.querySelector(".card.chosen"))) return null;
    const { seat: of, board } = target.dataset;
    const remarks = of !== undefined && board !== undefined ? (task?.remarks(Number(of), Number(board)) ?? []) : [];
    return bubble(texts, target, scene, spoken, task?.row()?.boards ?? null, seat, remarks);
  }

  /** @param {HTMLElement | null | undefined} thing @param {string} text */
  function refuse(thing, text) {
    motion.resume();
    motion.shake(thing);
    if (thing) tip.say(thing, text);
    said.textContent = text;
  }
  const said = h("p", { class: "vh", role: "status" });
  root.append(said);

  const handleKey = enableGestures(root, () => task, tip, choices);
  for (const event of ["resize", "scroll"]) addEventListener(event, drawArrow, { capture: true, passive: true });

  return {
    async show(next, event, { animate = false, viewpoint } = {}) {
      const turn = ++shows;
      eyes = viewpoint;
      results = new Map();
      if (animate) motion.resume();
      if (event && !isPartOfAttack(event)) raid = null;
      if (event && event.seat === seat && event.event === "DeclarationApplied") given = null;
      if (event?.event === "TurnStarted") given = null;
      if (animate && scene) await Promise.all([event && story.before(event, scene), ...laid(scene, next).map(story.lay)]);
      if (turn !== shows) return;
      if (event && animate) (event.seat === seat && isSeated() ? mine.row : seats.get(event.seat ?? -1)?.row)?.follow(event);
      if (event?.event === "SpeciesAttacked") raid = [[event.seat ?? -1, event.board], [event.target_seat, event.target]];
      scene = next;
      isDealing = animate && event?.event === "CardsDrawn";
      render();
      isDealing = false;
      if (event && animate) await story.after(event);
    },
    ask(request, actions) {
      if (seat === null) return;
      // Asked again in the same turn, since somebody has left or the server was away: the draft is still good.
      const drafted = request.scene.turn === scene?.turn ? ((task ?? given)?.hand().steps ?? []) : [];
      scene = /** @type {EvolutionScene} */ (request.scene);
      raid = null;
      given = null;
      motion.resume();
      const stage = { root, texts, names: spoken, seat, scene, left, right, confirm, actions, render: repaint, boardAt, refuse, choices };
      if (request.request === "declare") task = declareTask(stage, request.offers, drafted);
      else if (request.request === "feed") task = feedTask(stage, request.offers);
      else task = arrangeTask(stage);
      repaint();
      // A screen may be too short to show all: first my cards, later whom I could attack.
      (request.request === "declare" ? hand.element : others).scrollIntoView({ block: "nearest" });
    },
    stopAsking() {
      if (task?.row()) given = task;
      task = null;
      choices.close();
      tip.hide();
      for (const panel of [left, right, confirm]) refill(panel, []);
      render();
    },
    onReply(message) {
      if (message.type === "refused") refuse(confirm, message.message);
      else task?.onReply(message);
    },
    onDisconnect: () => task?.onDisconnect(),
    updateSeats(info, now) {
      people = info;
      waiting = now;
      render();
    },
    skip: () => motion.skip(),
    handleKey,
    showResult(standings) {
      const resultOf = (/** @type {Standing} */ { out, place, score }) =>
        out ? { place: null, told: "thrown out" } : { place, told: pluralize(score, "point") };
      results = new Map(standings.map((each) => [each.seat, resultOf(each)]));
      given = null;
      render();
      const winner = standings.find(({ place, out }) => place === 1 && !out);
      if (winner && !prefersReducedMotion()) walkToTheHole(winner.seat);
    },
  };

  /** The winner's animals come to drink. @param {number} winner */
  function walkToTheHole(winner) {
    motion.resume();
    const boards = scene?.players.find((player) => player.seat === winner)?.boards ?? [];
    boards.slice(0, WALKERS).forEach((board, place) => {
      motion.fly(boardAt(winner, place), hole.element, h("div", { class: "walker" }, creature(board)), place * 200, 1400);
    });
  }
}

// @ts-check
/** The table of Evolution: draws scenes, animates events, and passes input to the current task. */

import { setChildren, defineIcons, h, setAttribute, svg, prefersReducedMotion } from "/static/js/dom.js";
import { traitText } from "./trait-card.js";
import { arrangeTask } from "./arrange.js";
import { createChoices } from "./choices.js";
import { creature } from "./creature.js";
import { declareTask } from "./declare.js";
import { tooltipContent } from "./tooltip-text.js";
import { feedTask } from "./feed.js";
import { enableGestures } from "./gestures.js";
import { guide } from "./guide.js";
import { createHand } from "./hand.js";
import { createHole } from "./hole.js";
import { ICONS } from "./icons.js";
import { createOwnArea } from "./own-area.js";
import { createMotion } from "./motion.js";
import { fillPanel } from "./panel.js";
import { arrowParts, land } from "./scenery.js";
import { createSeat } from "./seats.js";
import { createEventAnimation, isPartOfAttack } from "./event-animation.js";
import { createTooltip } from "./tooltip.js";
import { hasDeclared, boardLabel } from "./labels.js";
import { t } from "./text.js";

export { coach } from "./coach.js";
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

/** At most this many animals walk to the hole at the end. */
const MAX_WALKERS = 6;

/** @param {HTMLElement} root @param {BoardViewOptions} options @returns {BoardView} */
export function createBoardView(root, { names, seat, texts }) {
  const displayNames = names.map((name, each) => (each === seat ? t("you") : name));
  const left = h("aside", { class: "panel paper left", "aria-label": t("panel.options"), hidden: true });
  const right = h("aside", { class: "panel paper right", "aria-label": t("panel.draft"), hidden: true });
  const confirm = h("div", { class: "confirm", hidden: true });
  const hole = createHole();
  const hand = createHand(texts);
  const ownArea = createOwnArea(texts, seat ?? -1, hand.sortButton);
  const others = h("div", { class: "others" });
  const below = h("div", { class: "others below" });
  const arrow = svg("svg", { class: "arrow", "aria-hidden": "true" });
  root.classList.add("evolution");
  // The tab order: options, draft, my row, my hand, main button, hole, other players.
  root.replaceChildren(land(), left, right, ownArea.element, hand.element, confirm, hole.element, others, below, arrow);
  const motion = createMotion(root);
  const choices = createChoices(root);
  const tooltip = createTooltip(root, ".board, .card, .mini", describe);
  /** @type {Map<number, ReturnType<typeof createSeat>>} */
  const seats = new Map();
  const animation = createEventAnimation({ motion, hole, boardAt, headOf: (each) => (each === seat ? ownArea.head : seats.get(each)?.head) });

  /** @type {EvolutionScene | null} */
  let scene = null;
  /** @type {number | null | undefined} */
  let viewpoint;
  /** @type {Task | null} */
  let task = null;
  /** The task of my last answer, shown until the answer takes effect. @type {Task | null} */
  let lastTask = null;
  /** The turn of that answer. */
  let lastTurn = 0;
  /** @type {SeatInfo[]} */
  let seatInfos = [];
  /** @type {number[]} */
  let waiting = [];
  /** @type {Map<number, import("./seats.js").Result>} */
  let results = new Map();
  /** Whether the scene lies before my last answer, so that no draft belongs to it. */
  let isPast = false;
  /** Whether to animate new cards in my hand. */
  let isDealing = false;
  /** Counts calls of `show`, so that a later scene replaces one that is still being animated. */
  let showCount = 0;
  /** The running attack. @type {[[number, number], [number, number]] | null} */
  let attack = null;

  /** @param {number} each @param {number} board */
  function boardAt(each, board) {
    return each === seat && isSeated() ? ownArea.row.at(board) : seats.get(each)?.row.at(board);
  }

  /** Returns the task of my last answer, unless an earlier scene is shown. */
  const shownTask = () => (isPast ? null : lastTask);

  const isSeated = () => seat !== null && scene?.own != null;

  /** @param {number} each @param {Board[]} boards @returns {BoardModel[]} */
  function models(each, boards) {
    return boards.map((board, index) => {
      const label = boardLabel(texts, displayNames[each], index, board);
      if (!task) {
        // My declaration stays visible until it takes effect, but is not interactive.
        const { before, state, note } = shownTask()?.decorate(each, index) ?? {};
        return { board, label, before, state, note };
      }
      const look = task.decorate(each, index);
      const guard = look.guard ? ` ${t("board.protected", { trait: traitText(texts, look.guard).name })}` : "";
      return { board, label: label + guard, ...look };
    });
  }

  /** @param {SeatedPlayer} player @param {number} order */
  function drawSeat(player, order) {
    if (!scene) return;
    const piece = seats.get(player.seat) ?? createSeat(texts, player.seat);
    seats.set(player.seat, piece);
    const isAllSeeing = viewpoint !== undefined;
    const isOpen = isAllSeeing && (viewpoint === null || viewpoint === player.seat);
    piece.update({
      name: displayNames[player.seat],
      info: seatInfos[player.seat],
      order,
      isActing: (isAllSeeing ? scene.acting : waiting).includes(player.seat),
      note: seatNote(player.seat),
      result: results.get(player.seat) ?? null,
      handSize: player.hand_size ?? player.hand?.length ?? 0,
      hand: isOpen ? (player.hand ?? null) : null,
      showsHand: isAllSeeing,
      bag: isOpen ? (player.bag ?? null) : null,
      boards: models(player.seat, player.boards),
    });
  }

  /** @param {number} each */
  function seatNote(each) {
    if (scene?.phase !== "choose" || !scene.turn || viewpoint !== undefined) return waiting.includes(each) ? t("note.feeding") : "";
    if (seatInfos[each]?.out) return "";
    if (waiting.includes(each)) return t("note.choosing");
    return hasDeclared(scene, each) ? t("note.declared") : t("note.notDeclared");
  }

  function render() {
    if (!scene) return;
    const { players, own } = scene;
    const seated = isSeated();
    setAttribute(root, "data-mode", seated ? "seat" : "spectator");
    players.forEach((player, index) => {
      if (!seated || player.seat !== seat) drawSeat(player, index + 1);
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
    const zones = task?.openZones() ?? shownTask()?.openZones();
    hole.update({
      scene: { ...scene, food_cards: scene.food_cards.map(asSeen) },
      names: displayNames,
      seat,
      zone: task !== null && (zones?.zone ?? false),
      lit: task ? (zones?.food ?? null) : null,
      mine: zones?.mine ?? null,
    });
    drawArrow();
  }

  /** Redraws everything, with the panels. `render` alone leaves the panels unchanged, so that no button moves under a finger. */
  function repaint() {
    task?.renderPanels();
    render();
  }

  /**
   * Hides the food cards of other seats until they are revealed, in a replay from one seat's viewpoint.
   * @param {{seat: number, points: number|null}} card
   */
  const asSeen = (card) => (viewpoint != null && scene?.phase === "choose" && card.seat !== viewpoint ? { ...card, points: null } : card);

  /** @param {number} me */
  function ownNote(me) {
    const result = results.get(me);
    if (result) return result.place === null ? result.label : t("note.place", { place: result.place, points: result.label });
    if (seatInfos[me]?.out) return t("note.youLeft");
    return scene && hasDeclared(scene, me) ? t("note.youDeclared") : "";
  }

  /** @param {EvolutionScene["own"]} own @param {number} here */
  function drawOwn(own, here) {
    ownArea.element.hidden = hand.element.hidden = !own;
    if (!own || seat === null) return;
    const row = task?.draftRow() ?? shownTask()?.draftRow() ?? { boards: own.boards, order: own.boards.map((_, index) => index) };
    ownArea.update({
      order: here + 1,
      bag: own.bag,
      isActing: waiting.includes(seat) || task !== null,
      note: ownNote(seat),
      boards: models(seat, row.boards),
      boardOrder: row.order,
      buy: task?.openZones().buy ?? {},
    });
    const { chosen, steps } = (task ?? shownTask())?.handState() ?? { chosen: null, steps: [] };
    const dealt = hand.update({ cards: own.hand, chosen, steps, asked: task?.handState().asked ?? false });
    if (isDealing) for (const card of dealt) motion.appear(card);
  }

  function drawArrow() {
    const aimed = task?.arrow() ?? attack;
    const [hunter, target] = aimed ? aimed.map(([each, board]) => boardAt(each, board)) : [];
    arrow.replaceChildren(...(hunter && target ? arrowParts(root, hunter, target) : []));
  }

  /** Returns the other seats whose food card is new at the hole. @param {EvolutionScene} before @param {EvolutionScene} after */
  const laid = (before, after) =>
    after.players.map((player) => player.seat).filter((each) => each !== seat && hasDeclared(after, each) && !hasDeclared(before, each));

  /** @param {HTMLElement} target */
  function describe(target) {
    // While a card is chosen, the tooltip must not cover the boards; the left panel explains the card.
    if (!scene || (target.matches(".card") && root.querySelector(".card.chosen"))) return null;
    const { seat: of, board } = target.dataset;
    const notes = of !== undefined && board !== undefined ? (task?.tooltipNotes(Number(of), Number(board)) ?? []) : [];
    return tooltipContent(texts, target, scene, displayNames, task?.draftRow()?.boards ?? null, seat, notes);
  }

  /** @param {HTMLElement | null | undefined} element @param {string} text */
  function refuse(element, text) {
    motion.resume();
    motion.shake(element);
    if (element) tooltip.showReason(element, text);
    liveRegion.textContent = text;
  }
  const liveRegion = h("p", { class: "vh", role: "status" });
  root.append(liveRegion);

  const handleKey = enableGestures(root, () => task, tooltip, choices);
  for (const event of ["resize", "scroll"]) addEventListener(event, drawArrow, { capture: true, passive: true });

  return {
    async show(next, event, options = {}) {
      const { animate = false } = options;
      const turn = ++showCount;
      viewpoint = options.viewpoint;
      isPast = options.isPast ?? false;
      results = new Map();
      if (animate) motion.resume();
      if (event && !isPartOfAttack(event)) attack = null;
      const hasEffect = event?.event === "TurnStarted" || (event?.event === "DeclarationApplied" && event.seat === seat);
      if (hasEffect && !isPast) lastTask = null;
      if (animate && scene) await Promise.all([event && animation.before(event, scene), ...laid(scene, next).map(animation.layFoodCard)]);
      if (turn !== showCount) return;
      if (event && animate) (event.seat === seat && isSeated() ? ownArea.row : seats.get(event.seat ?? -1)?.row)?.applyEvent(event);
      if (event?.event === "SpeciesAttacked") attack = [[event.seat ?? -1, event.board], [event.target_seat, event.target]];
      scene = next;
      // A user who skips events does not see the one with which the turn began.
      if (scene && scene.turn !== lastTurn && !isPast) lastTask = null;
      isDealing = animate && event?.event === "CardsDrawn";
      render();
      isDealing = false;
      if (event && animate) await animation.after(event);
    },
    ask(request, actions) {
      if (seat === null) return;
      // If a request repeats in the same turn, because a player left or the server restarted, the draft is still valid.
      const drafted = request.scene.turn === scene?.turn ? ((task ?? lastTask)?.handState().steps ?? []) : [];
      const restored = actions.draft ?? drafted;
      scene = /** @type {EvolutionScene} */ (request.scene);
      isPast = false;
      attack = null;
      lastTask = null;
      motion.resume();
      const context = { root, texts, names: displayNames, seat, scene, left, right, confirm, actions, render: repaint, boardAt, refuse, choices };
      if (request.request === "declare") task = declareTask(context, request.offers, restored);
      else if (request.request === "feed") task = feedTask(context, request.offers);
      else task = arrangeTask(context, actions.draft);
      repaint();
      // On a short screen, scroll to my cards for a declaration, and to possible targets for feeding.
      (request.request === "declare" ? hand.element : others).scrollIntoView({ block: "nearest" });
    },
    stopAsking() {
      if (task?.draftRow()) {
        lastTask = task;
        lastTurn = scene?.turn ?? 0;
      }
      task = null;
      choices.close();
      tooltip.hide();
      for (const panel of [left, right, confirm]) fillPanel(panel, []);
      render();
    },
    onReply(message) {
      if (message.type === "refused") refuse(confirm, message.message);
      else task?.onReply(message);
    },
    onDisconnect: () => task?.onDisconnect(),
    progress: () => task && { ...task.handState(), boards: task.draftRow()?.boards ?? scene?.own?.boards ?? [] },
    updateSeats(info, now) {
      seatInfos = info;
      waiting = now;
      render();
    },
    seatElement: (each) => (each === seat && isSeated() ? ownArea.head : seats.get(each)?.head),
    skip: () => motion.skip(),
    handleKey,
    showResult(standings) {
      const resultOf = (/** @type {Standing} */ { out, place, score }) =>
        out ? { place: null, label: t("note.thrownOut") } : { place, label: t("note.points", { count: score ?? 0 }) };
      results = new Map(standings.map((each) => [each.seat, resultOf(each)]));
      lastTask = null;
      render();
      const winner = standings.find(({ place, out }) => place === 1 && !out);
      if (winner && !prefersReducedMotion()) animateWinner(winner.seat);
    },
  };

  /** Lets the winner's animals walk to the hole. @param {number} winner */
  function animateWinner(winner) {
    motion.resume();
    const boards = scene?.players.find((player) => player.seat === winner)?.boards ?? [];
    boards.slice(0, MAX_WALKERS).forEach((board, index) => {
      motion.fly(boardAt(winner, index), hole.element, h("div", { class: "walker" }, creature(board)), index * 200, 1400);
    });
  }
}

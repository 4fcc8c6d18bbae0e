// @ts-check
/**
 * Declaring: the user chooses a card, then one of its highlighted zones. The server's draft contains the possible steps,
 * what is missing, and why a step is refused; this module only adds and removes steps.
 */

import { h, setAttribute, setText } from "/static/js/dom.js";
import { traitText } from "./trait-card.js";
import { declareHelp, draftPanel, cardUsesPanel } from "./declare-panels.js";
import { afterDisconnect, afterReply, afterSending, newDraft } from "./draft-state.js";
import { button, isCoarse, isNarrow, fillPanel } from "./panel.js";
import { CARD_USES, withoutStep } from "./steps.js";
import { speciesName, signed } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Draft} Draft */
/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {import("./task-context.js").TaskContext} TaskContext */
/** @typedef {import("./task-context.js").Task} Task */

/** @typedef {DraftStep["step"]} StepKind */

/**
 * @param {TaskContext} context
 * @param {Draft} first
 * @param {DraftStep[]} restoredSteps my earlier steps, if the same request is repeated or the page was reloaded
 * @returns {Task}
 */
export function declareTask(context, first, restoredSteps) {
  const { actions, scene, texts } = context;
  const cards = scene.own?.hand ?? [];
  let state = newDraft(first);
  /** @type {number | null} */
  let chosen = null;
  /** If set, only these kinds of zones are highlighted. @type {StepKind[] | null} */
  let only = null;
  /** The card of the step just sent; it is selected again if the step is refused. @type {number | null} */
  let pendingCard = null;
  /** The last target, next to which the reason for a refusal is shown. @type {HTMLElement | null} */
  let lastTarget = null;

  // The server's replies change these elements between a press and its release, so they are never replaced.
  const summary = h("p", { class: "small stay" });
  const undoButton = button(t("draft.undo"), "ghost only-phone", () => undo(), { name: "undo-phone" });
  const declareButton = button(t("draft.declare"), "primary main", () => confirm());

  const offers = () => state.draft.offers.filter((offer) => offer.card === chosen && (!only || only.includes(offer.step)));

  /** @param {number} card */
  const title = (card) => `${traitText(texts, cards[card][1]).name} ${signed(cards[card][0])}`;

  /** @param {number | null} card @param {StepKind[] | null} [kinds] */
  function choose(card, kinds = null) {
    chosen = card;
    only = kinds;
    context.choices.close();
    context.render();
  }

  /** @param {number} card */
  const cardElement = (card) => /** @type {HTMLElement | null} */ (context.root.querySelector(`[data-card="${card}"]`));

  /**
   * @param {DraftStep[]} steps
   * @param {import("./draft-state.js").Change} change
   * @returns {boolean} whether they were sent; if not, nothing has changed
   */
  function send(steps, change) {
    const isSent = actions.consult({ type: "draft", steps: steps.map(({ text, ...step }) => step) });
    if (isSent) state = afterSending(state, steps, change);
    return isSent;
  }

  /** @param {DraftStep} step @param {HTMLElement | null} element */
  function addStep(step, element) {
    if (!send([...state.sent, step], "add")) return;
    lastTarget = element;
    pendingCard = step.card;
    chosen = only = null;
  }

  /** @param {number} index of the step to undo, together with the steps that depend on it */
  const undoStep = (index) => send(withoutStep(state.draft.steps, index, scene.own?.boards.length ?? 0), "undo");

  const undo = () => {
    if (state.draft.steps.length) undoStep(state.draft.steps.length - 1);
  };

  function confirm() {
    const { draft } = state;
    if (draft.answer !== null) actions.answer(draft.answer);
    else context.refuse(context.confirm, draft.missing ?? t("draft.missing"));
  }

  /** @param {string} zone @param {number | null} board @returns {DraftStep | null} the step that a zone stands for */
  function stepFor(zone, board) {
    const card = chosen ?? -1;
    if (zone === "food" || zone === "buy") return { step: zone, card };
    if (zone === "buy:left" || zone === "buy:right") return { step: "buy", card, side: zone === "buy:left" ? "left" : "right" };
    if (board === null) return null;
    if (zone.startsWith("replace:")) return { step: "replace", card, board, slot: Number(zone.slice(8)) };
    return { step: /** @type {StepKind} */ (zone), card, board };
  }

  /** Uses the only matching zone, or highlights the matching zones. @param {StepKind[]} kinds */
  function useCard(kinds) {
    if (chosen === null) return;
    const matches = state.draft.offers.filter((offer) => offer.card === chosen && kinds.includes(offer.step));
    if (matches.length === 1) return addStep(matches[0], cardElement(chosen));
    if (!matches.length) return;
    choose(chosen, kinds);
    const target = /** @type {HTMLElement | null} */ (context.root.querySelector("button.zone, .new-species"));
    target?.scrollIntoView({ block: "nearest", inline: "center" });
    target?.focus();
  }

  /** @param {DraftStep} offer */
  function offerLabel(offer) {
    const { draft } = state;
    const name = chosen === null ? "" : traitText(texts, cards[chosen][1]).name;
    const number = (offer.board ?? 0) + 1;
    const species = offer.board === undefined ? "" : speciesName(draft.boards[offer.board]);
    if (offer.step === "population") return t("offer.population", { number, species });
    if (offer.step === "body") return t("offer.body", { number, species });
    if (offer.step === "lay") return t("offer.lay", { trait: name, number, species });
    if (offer.step === "replace" && offer.board !== undefined) {
      const old = draft.boards[offer.board].traits[offer.slot ?? 0];
      return old ? t("offer.replace", { old: traitText(texts, old).name, trait: name, number, species }) : t("offer.lay", { trait: name, number, species });
    }
    if (offer.step === "food") return t("offer.food");
    return offer.side ? t(`offer.buy.${offer.side}`, { trait: name }) : t("offer.buy", { trait: name });
  }

  /** @param {number} board */
  function litOn(board) {
    /** @type {Record<string, string>} */
    const lit = {};
    for (const offer of offers())
      if (offer.board === board) lit[offer.step === "replace" ? `replace:${offer.slot}` : offer.step] = offerLabel(offer);
    return lit;
  }

  if (restoredSteps.length) send(restoredSteps, "restore");

  return {
    renderPanels() {
      const { draft } = state;
      const remaining = cards.length - draft.steps.length;
      actions.hint(hint());
      fillPanel(context.left, chosen === null ? declareHelp(draft) : cardUsesPanel(texts, cards[chosen], offersOf(draft, chosen), useCard));
      const pending = chosen === null ? null : title(chosen);
      fillPanel(context.right, draftPanel(draft, pending, { undoStep, undo, startOver: () => send([], "start over") }));
      const steps = context.right.querySelector(".steps");
      if (steps) steps.scrollTop = steps.scrollHeight;
      setText(summary, draft.missing ?? t("draft.remaining", { count: remaining }));
      setAttribute(undoButton, "aria-disabled", draft.steps.length ? null : "true");
      setAttribute(declareButton, "aria-disabled", draft.answer === null ? "true" : null);
      fillPanel(context.confirm, [summary, undoButton, declareButton]);
    },
    decorate(seat, board) {
      if (seat !== context.seat) return {};
      const isNew = board >= (scene.own?.boards.length ?? 0);
      return {
        zones: chosen !== null,
        lit: litOn(board),
        before: isNew ? null : scene.own?.boards[board],
        ...(isNew ? { state: "draft", note: t("board.new") } : {}),
      };
    },
    draftRow: () => ({
      boards: state.draft.boards,
      order: state.draft.boards.map((_, board) => board).sort((a, b) => state.draft.places[a] - state.draft.places[b]),
    }),
    handState: () => ({ chosen, steps: state.draft.steps, asked: true }),
    openZones() {
      const lit = offers();
      const food = lit.find((offer) => offer.step === "food");
      const purchases = lit.filter((offer) => offer.step === "buy");
      const foodStep = state.draft.steps.find((step) => step.step === "food");
      return {
        zone: chosen !== null,
        food: food ? t("offer.food") : null,
        buy: Object.fromEntries(purchases.map((offer) => [offer.side ? `buy:${offer.side}` : "buy", offerLabel(offer)])),
        mine: foodStep ? cards[foodStep.card][0] : null,
      };
    },
    selectCard: (card) => choose(chosen === card ? null : card),
    undoStep,
    moveBoard() {},
    pressBoard() {},
    explainBoard: () => false,
    useZone(zone, board, element, isDrop) {
      if (chosen === null) return false;
      const lit = offers().filter((offer) => offer.board === board && board !== null);
      if (isCoarse() && lit.length > 1 && !isDrop && !element.matches("button")) {
        const items = lit.map((offer) => ({ text: offerLabel(offer), icon: iconOf(offer.step), act: () => addStep(offer, element) }));
        context.choices.open(element, t("offer.card", { card: title(chosen), number: (board ?? 0) + 1 }), items);
        return true;
      }
      const step = stepFor(zone, board);
      if (step) addStep(step, element);
      return true;
    },
    handleKey(event) {
      const key = event.key.toLowerCase();
      if (key === "z") undo();
      else if (key === "escape" && chosen !== null) {
        const back = chosen;
        choose(null);
        cardElement(back)?.focus();
      } else if (/^[1-9]$/.test(key)) {
        const free = [.../** @type {NodeListOf<HTMLElement>} */ (context.root.querySelectorAll(".hand [data-card]"))];
        const card = free[Number(key) - 1];
        if (!card) return false;
        card.focus();
        choose(Number(card.dataset.card));
      } else {
        const use = CARD_USES.find((each) => each.key.toLowerCase() === key);
        if (!use || chosen === null) return false;
        useCard(use.kinds);
      }
      return true;
    },
    onReply(message) {
      const { refused } = message;
      const { state: next, retry } = afterReply(state, message);
      state = next;
      if (retry) return void send(retry, "undo");
      actions.saveDraft(state.draft.steps);
      if (refused) chosen ??= pendingCard;
      context.choices.close();
      context.render();
      if (refused) context.refuse(lastTarget ?? context.confirm, refused.message);
      else if (document.activeElement === document.body)
        /** @type {HTMLElement | null} */ (context.root.querySelector(".hand .card"))?.focus({ preventScroll: true });
    },
    onDisconnect() {
      state = afterDisconnect(state);
    },
    tooltipNotes: () => [],
    arrow: () => null,
  };

  function hint() {
    if (chosen !== null && isNarrow()) return `${title(chosen)}: ${traitText(texts, cards[chosen][1]).text}`;
    if (chosen !== null && offers().length) return t("declare.place", { card: title(chosen) });
    if (chosen !== null) return t("declare.another");
    if (state.draft.missing) return t("declare.turn", { missing: state.draft.missing });
    return state.isRestored ? t("declare.restored") : t("declare.moreOrDeclare");
  }
}

/** @param {StepKind} kind */
const iconOf = (kind) => CARD_USES.find((use) => use.kinds.includes(kind))?.icon ?? "card-back";

/** @param {Draft} draft @param {number} card */
const offersOf = (draft, card) => draft.offers.filter((offer) => offer.card === card);

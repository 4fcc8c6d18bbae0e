// @ts-check
/**
 * Declaring: a card is chosen, then one of its lit places. Which places are lit, what is missing and why something
 * cannot be done all come from the server's draft; here steps are only put together and taken back.
 */

import { pluralize, h } from "/static/js/dom.js";
import { traitText } from "./trait-card.js";
import { declareHelp, draftList, wayList } from "./declare-panels.js";
import { button, isCoarse, isNarrow, refill } from "./panel.js";
import { WAYS, without } from "./steps.js";
import { nameOf, signed } from "./words.js";

/** @typedef {import("./types.js").Draft} Draft */
/** @typedef {import("./types.js").DraftStep} DraftStep */
/** @typedef {import("./task-context.js").Stage} Stage */
/** @typedef {import("./task-context.js").Task} Task */

/** @typedef {DraftStep["step"]} StepKind */

/**
 * @param {Stage} stage
 * @param {Draft} first
 * @param {DraftStep[]} drafted steps of mine to the same question, which is asked again
 * @returns {Task}
 */
export function declareTask(stage, first, drafted) {
  const { actions, scene, texts } = stage;
  const cards = scene.own?.hand ?? [];
  let draft = first;
  /** @type {number | null} */
  let chosen = null;
  /** Only places of this kind are lit. @type {StepKind[] | null} */
  let only = null;
  /** The card on its way to a place; it is chosen again if it cannot go there. @type {number | null} */
  let laying = null;
  /** What I tried last, for saying why it is refused. @type {HTMLElement | null} */
  let tried = null;
  /** Steps that shall be gone; a refusal takes away what rested on them. */
  let isTakingBack = false;
  /** The steps that were sent last: whoever is quick takes the next one before the server has answered. */
  let wanted = draft.steps;
  let unanswered = 0;
  /** Whether the draft is that of before, and nothing has been changed. */
  let isAgain = drafted.length > 0;

  const offers = () => draft.offers.filter((offer) => offer.card === chosen && (!only || only.includes(offer.step)));

  /** @param {number} card */
  const title = (card) => `${traitText(texts, cards[card][1]).name} ${signed(cards[card][0])}`;

  /** @param {number | null} card @param {StepKind[] | null} [kinds] */
  function choose(card, kinds = null) {
    chosen = card;
    only = kinds;
    stage.choices.close();
    stage.render();
  }

  /** @param {number} card */
  const cardElement = (card) => /** @type {HTMLElement | null} */ (stage.root.querySelector(`[data-card="${card}"]`));

  /** @param {DraftStep[]} steps @returns {boolean} whether they are on their way; if not, nothing has changed */
  function send(steps) {
    const isSent = actions.consult({ type: "draft", steps: steps.map(({ text, ...step }) => step) });
    if (!isSent) return false;
    wanted = steps;
    unanswered += 1;
    return true;
  }

  /** @param {DraftStep} step @param {HTMLElement | null} thing */
  function take(step, thing) {
    if (!send([...wanted, step])) return;
    tried = thing;
    isTakingBack = isAgain = false;
    laying = step.card;
    chosen = only = null;
  }

  /** @param {number} place takes back a step and those that rest on it */
  function takeBack(place) {
    if (send(without(draft.steps, place, scene.own?.boards.length ?? 0))) {
      isTakingBack = true;
      isAgain = false;
    }
  }

  const undo = () => {
    if (draft.steps.length) takeBack(draft.steps.length - 1);
  };

  function confirm() {
    if (draft.answer !== null) actions.answer(draft.answer);
    else stage.refuse(stage.confirm, draft.missing ?? "Something is missing.");
  }

  /** @param {string} zone @param {number | null} board @returns {DraftStep | null} the step that a place stands for */
  function meant(zone, board) {
    const card = chosen ?? -1;
    if (zone === "food" || zone === "buy") return { step: zone, card };
    if (zone === "buy:left" || zone === "buy:right") return { step: "buy", card, side: zone === "buy:left" ? "left" : "right" };
    if (board === null) return null;
    if (zone.startsWith("replace:")) return { step: "replace", card, board, slot: Number(zone.slice(8)) };
    return { step: /** @type {StepKind} */ (zone), card, board };
  }

  /** Takes the only place of these kinds, or lets the others go out. @param {StepKind[]} kinds */
  function way(kinds) {
    if (chosen === null) return;
    const found = draft.offers.filter((offer) => offer.card === chosen && kinds.includes(offer.step));
    if (found.length === 1) return take(found[0], cardElement(chosen));
    if (!found.length) return;
    choose(chosen, kinds);
    const place = /** @type {HTMLElement | null} */ (stage.root.querySelector("button.zone, .newland"));
    place?.scrollIntoView({ block: "nearest", inline: "center" });
    place?.focus();
  }

  /** @param {DraftStep} offer */
  function says(offer) {
    const name = chosen === null ? "" : traitText(texts, cards[chosen][1]).name;
    const which = offer.board === undefined ? "" : `species ${offer.board + 1}, ${nameOf(draft.boards[offer.board])}`;
    if (offer.step === "population") return `One animal more: ${which}`;
    if (offer.step === "body") return `Body one larger: ${which}`;
    if (offer.step === "lay") return `Add ${name}: ${which}`;
    if (offer.step === "replace" && offer.board !== undefined) {
      const old = draft.boards[offer.board].traits[offer.slot ?? 0];
      return old ? `Replace ${traitText(texts, old).name} by ${name}: ${which}` : `Add ${name}: ${which}`;
    }
    if (offer.step === "food") return "Use as food card";
    return `New species${offer.side ? ` on the ${offer.side}` : ""}, paid with ${name}`;
  }

  /** @param {number} board */
  function litOn(board) {
    /** @type {Record<string, string>} */
    const lit = {};
    for (const offer of offers())
      if (offer.board === board) lit[offer.step === "replace" ? `replace:${offer.slot}` : offer.step] = says(offer);
    return lit;
  }

  if (isAgain) send(drafted);

  return {
    paint() {
      const stay = cards.length - draft.steps.length;
      actions.hint(hint());
      refill(stage.left, chosen === null ? declareHelp(draft) : wayList(texts, cards[chosen], offersOf(draft, chosen), way));
      const pending = chosen === null ? null : title(chosen);
      refill(stage.right, draftList(draft, pending, { takeBack, undo, startOver: () => send([]) }));
      const steps = stage.right.querySelector(".steps");
      if (steps) steps.scrollTop = steps.scrollHeight;
      refill(stage.confirm, [
        h("p", { class: "small stay" }, draft.missing ?? `${pluralize(stay, "card stays", "cards stay")} in your hand.`),
        button("Undo", "ghost only-phone", undo, { off: !draft.steps.length, name: "undo-phone" }),
        button("Declare", "primary main", confirm, { off: draft.answer === null }),
      ]);
    },
    decorate(seat, board) {
      if (seat !== stage.seat) return {};
      const isNew = board >= (scene.own?.boards.length ?? 0);
      return {
        zones: chosen !== null,
        lit: litOn(board),
        before: isNew ? null : scene.own?.boards[board],
        ...(isNew ? { state: "draft", note: "new" } : {}),
      };
    },
    row: () => ({
      boards: draft.boards,
      places: draft.boards.map((_, board) => board).sort((a, b) => draft.places[a] - draft.places[b]),
    }),
    hand: () => ({ chosen, steps: draft.steps, asked: true }),
    places() {
      const lit = offers();
      const food = lit.find((offer) => offer.step === "food");
      const bought = lit.filter((offer) => offer.step === "buy");
      const given = draft.steps.find((step) => step.step === "food");
      return {
        zone: chosen !== null,
        food: food ? "Use as food card" : null,
        buy: Object.fromEntries(bought.map((offer) => [offer.side ? `buy:${offer.side}` : "buy", says(offer)])),
        mine: given ? cards[given.card][0] : null,
      };
    },
    card: (card) => choose(chosen === card ? null : card),
    takeBack,
    move() {},
    press() {},
    touch: () => false,
    zone(zone, board, thing, isDrop) {
      if (chosen === null) return false;
      const lit = offers().filter((offer) => offer.board === board && board !== null);
      if (isCoarse() && lit.length > 1 && !isDrop && !thing.matches("button")) {
        const items = lit.map((offer) => ({ text: says(offer), icon: iconOf(offer.step), act: () => take(offer, thing) }));
        stage.choices.open(thing, `${title(chosen)} on species ${(board ?? 0) + 1}`, items);
        return true;
      }
      const step = meant(zone, board);
      if (step) take(step, thing);
      return true;
    },
    key(event) {
      const key = event.key.toLowerCase();
      if (key === "z") undo();
      else if (key === "escape" && chosen !== null) {
        const back = chosen;
        choose(null);
        cardElement(back)?.focus();
      } else if (/^[1-9]$/.test(key)) {
        const free = [.../** @type {NodeListOf<HTMLElement>} */ (stage.root.querySelectorAll(".hand [data-card]"))];
        const card = free[Number(key) - 1];
        if (!card) return false;
        card.focus();
        choose(Number(card.dataset.card));
      } else {
        const found = WAYS.find((each) => each.key.toLowerCase() === key);
        if (!found || chosen === null) return false;
        way(found.kinds);
      }
      return true;
    },
    onReply(message) {
      const { refused } = message;
      unanswered -= 1;
      if (refused && isTakingBack && message.steps.length < wanted.length) {
        // What was refused rested on the step that is gone: it goes, too, and what comes after it may stay.
        send(wanted.filter((_, place) => place !== message.steps.length));
        return;
      }
      draft = message;
      if (unanswered <= 0) wanted = draft.steps;
      if (refused) chosen ??= laying;
      stage.choices.close();
      stage.render();
      if (refused) stage.refuse(tried ?? stage.confirm, refused.message);
      else if (document.activeElement === document.body)
        /** @type {HTMLElement | null} */ (stage.root.querySelector(".hand .card"))?.focus({ preventScroll: true });
    },
    onDisconnect() {
      wanted = draft.steps;
      unanswered = 0;
    },
    remarks: () => [],
    aim: () => null,
  };

  function hint() {
    if (chosen !== null && isNarrow()) return `${title(chosen)}: ${traitText(texts, cards[chosen][1]).text}`;
    if (chosen !== null && offers().length) return `${title(chosen)}: choose a lit place, or drag the card there.`;
    if (chosen !== null) return "Choose another card.";
    if (draft.missing) return `Your turn: choose a card. ${draft.missing}`;
    return isAgain ? "You are asked again: change your declaration, or declare." : "Choose another card, or declare.";
  }
}

/** @param {StepKind} kind */
const iconOf = (kind) => WAYS.find((way) => way.kinds.includes(kind))?.icon ?? "card-back";

/** @param {Draft} draft @param {number} card */
const offersOf = (draft, card) => draft.offers.filter((offer) => offer.card === card);

// @ts-check
/**
 * Feeding: all options are highlighted on the table and listed. An attack can be confirmed only after its preview, which
 * the server computes, has been shown.
 */

import { h } from "/static/js/dom.js";
import { formatChoice } from "/static/js/text.js";
import { attackPanel, optionList, storePanel } from "./feed-panels.js";
import { button, fillPanel } from "./panel.js";
import { speciesName, speciesOf } from "./labels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").FeedOffers} FeedOffers */
/** @typedef {import("./types.js").FeedOption} FeedOption */
/** @typedef {import("./types.js").PreviewMessage} PreviewMessage */
/** @typedef {import("./types.js").SafeTarget} SafeTarget */
/** @typedef {import("./task-context.js").TaskContext} TaskContext */
/** @typedef {import("./task-context.js").Task} Task */

/**
 * All options of one type for one species: eat, store, or attack any of its targets.
 * @typedef {object} OptionGroup
 * @property {FeedOption["type"]} type
 * @property {number} board
 * @property {string} text
 * @property {string} effect
 * @property {FeedOption[]} options
 */

const OPTION_ICONS = { eat: "food-plant", store: "fat-store", attack: "carnivore" };

/** @param {TaskContext} context @param {FeedOffers} offers @returns {Task} */
export function feedTask(context, offers) {
  const { actions, scene } = context;
  const boards = scene.own?.boards ?? [];
  const groups = groupOptions(offers.options, boards);
  /** The selected group of options, also after a reload. @type {OptionGroup | null} */
  let selected = groups.find(({ board, type }) => board === actions.draft?.board && type === actions.draft?.type) ?? null;
  /** @type {FeedOption | null} */
  let target = null;
  /** @type {PreviewMessage | null} */
  let preview = null;
  /** The protected board whose protection is being explained. @type {SafeTarget | null} */
  let explained = null;
  let tokens = selected?.type === "store" ? maxTokens(selected) : 1;
  let isConfirmingDecline = false;
  let byKeyboard = false;

  /** @param {OptionGroup | null} group */
  function select(group) {
    isConfirmingDecline = false;
    target = preview = explained = null;
    context.choices.close();
    if (group?.type === "eat") return void actions.answer(group.options[0].answer);
    selected = group === selected ? null : group;
    actions.saveDraft(selected && { board: selected.board, type: selected.type });
    if (selected?.type === "store") tokens = maxTokens(selected);
    context.render();
    if (selected?.type === "attack") showTargets(selected);
  }

  /** @param {FeedOption} option */
  function chooseTarget(option) {
    if (!actions.consult({ type: "preview", answer: option.answer })) return;
    target = option;
    preview = explained = null;
    context.render();
  }

  const cancel = () => {
    if (target) {
      target = preview = null;
      context.render();
    } else select(null);
  };

  /** Scrolls to the first target, which may be outside a phone's screen. @param {OptionGroup} group */
  function showTargets({ options: [{ seat = 0, target: board = 0 }] }) {
    context.boardAt(seat, board)?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  const attack = () => target && actions.answer(target.answer);
  const store = () => selected && actions.answer(tokens === maxTokens(selected) ? selected.options[0].answer : [selected.board, tokens]);

  /** @param {number} seat @param {number} board */
  const optionAt = (seat, board) =>
    selected?.type === "attack" ? selected.options.find((option) => option.seat === seat && option.target === board) : undefined;

  /** @param {number} seat @param {number} board */
  const safeAt = (seat, board) =>
    selected?.type === "attack"
      ? offers.safe.find((each) => each.board === selected?.board && each.seat === seat && each.target === board)
      : undefined;

  function decline() {
    if (!offers.decline) return;
    if (!offers.decline.final || isConfirmingDecline) return void actions.answer(offers.decline.answer);
    isConfirmingDecline = true;
    context.render();
  }

  return {
    renderPanels() {
      actions.hint(hint());
      fillPanel(context.left, optionList(groups, boards, selected, OPTION_ICONS, select));
      fillPanel(context.right, rightPanel());
      fillPanel(context.confirm, confirmButtons());
      if (byKeyboard && preview) {
        byKeyboard = false;
        /** @type {HTMLElement | null} */ (context.right.querySelector(".danger"))?.focus();
      }
    },
    decorate(seat, board) {
      const option = optionAt(seat, board);
      if (option)
        return {
          state: option === target ? "lit aimed" : "lit",
          tag: lossLabel(option),
          press: t("attack.press", { species: speciesOf(context.names[seat], t("species.number", { number: board + 1 })), loss: lossLabel(option) }),
        };
      const safe = safeAt(seat, board);
      const isGuarding = explained?.protector?.seat === seat && explained.protector.board === board;
      if (safe) return { state: isGuarding ? "safe guarding" : "safe", guard: safe.trait };
      if (isGuarding) return { state: "guarding" };
      if (seat !== context.seat) return {};
      if (selected?.board === board) return { state: "acting", press: t("feed.cancel") };
      const mine = groups.filter((group) => group.board === board);
      return mine.length && !selected ? { state: "ready", press: formatChoice(mine.map((group) => group.text)) } : {};
    },
    draftRow: () => null,
    handState: () => ({ chosen: null, steps: [], asked: false }),
    openZones: () => ({ zone: false, food: null, buy: {}, mine: null }),
    selectCard() {},
    undoStep() {},
    moveBoard() {},
    pressBoard(seat, board, byKey) {
      byKeyboard = byKey;
      const option = optionAt(seat, board);
      if (option) return option === target && preview ? undefined : chooseTarget(option);
      const mine = groups.filter((group) => group.board === board);
      if (selected?.board === board) return select(null);
      if (mine.length === 1) return select(mine[0]);
      const anchor = context.boardAt(seat, board);
      if (anchor)
        context.choices.open(
          anchor,
          t("feed.action", { species: speciesName(boards[board]) }),
          mine.map((group) => ({ text: `${group.text}: ${group.effect}`, icon: OPTION_ICONS[group.type], act: () => select(group) })),
        );
    },
    explainBoard(seat, board) {
      const safe = safeAt(seat, board);
      const full = seat === context.seat && !selected ? offers.full.find((each) => each.board === board) : undefined;
      const other = groups.find((group) => group.board === board);
      if (selected && seat === context.seat && other) {
        select(other);
        return true;
      }
      if (!safe && !full) return false;
      explained = safe ?? null;
      context.render();
      context.refuse(context.boardAt(seat, board), (safe ?? full)?.text ?? "");
      return true;
    },
    useZone: () => false,
    handleKey(event) {
      const number = /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
      if (number && groups[number - 1]) {
        select(groups[number - 1]);
        /** @type {HTMLElement | null} */ (context.root.querySelector(".board.lit .press"))?.focus();
      } else if (event.key === "Escape" && (selected || isConfirmingDecline)) {
        // Return the focus to the deselected target, not to the top of the page.
        const back = target && context.boardAt(target.seat ?? 0, target.target ?? 0);
        isConfirmingDecline = false;
        cancel();
        /** @type {HTMLElement | null | undefined} */ (back?.querySelector(".press"))?.focus();
      } else if (event.key === "Enter" && target && preview && !document.activeElement?.matches("button, a")) attack();
      else if (event.key === "Enter" && selected?.type === "store" && !document.activeElement?.matches("button, a")) store();
      else if (selected?.type === "store" && (event.key === "+" || event.key === "-")) change(event.key === "+" ? 1 : -1);
      else return false;
      return true;
    },
    onReply(message) {
      if (message.type !== "preview" || !target || JSON.stringify(message.answer) !== JSON.stringify(target.answer)) return;
      preview = message;
      context.render();
    },
    onDisconnect() {
      if (!target || preview) return;
      target = null;
      context.render();
    },
    tooltipNotes(seat, board) {
      const safe = safeAt(seat, board);
      const full = seat === context.seat ? offers.full.find((each) => each.board === board) : undefined;
      const text = (safe ?? full)?.text;
      return text ? [h("p", { class: "note" }, text)] : [];
    },
    arrow: () => (selected && target ? [[context.seat, selected.board], [target.seat ?? 0, target.target ?? 0]] : null),
  };

  /** @param {number} by */
  function change(by) {
    if (!selected) return;
    tokens = Math.max(1, Math.min(tokens + by, maxTokens(selected)));
    context.render();
  }

  function rightPanel() {
    if (selected?.type === "store")
      return storePanel(boards[selected.board], tokens, selected.options[0], scene.hole, { change, store, cancel: () => select(null) });
    if (selected?.type === "attack" && target) {
      const { seat = 0, target: board = 0 } = target;
      const victim = scene.players.find((player) => player.seat === seat)?.boards[board];
      const whom = speciesOf(context.names[seat], victim ? speciesName(victim) : t("species.number", { number: board + 1 }));
      const title = `${speciesName(boards[selected.board])} → ${whom}`;
      return attackPanel(title, preview, scene, context.names, { attack, cancel });
    }
    return [];
  }

  function confirmButtons() {
    if (isConfirmingDecline)
      return [
        h("p", { class: "small stay" }, t("decline.sure")),
        button(t("decline.keep"), "ghost", () => ((isConfirmingDecline = false), context.render())),
        button(t("decline.confirm"), "primary", decline, { name: "decline-sure" }),
      ];
    return [
      offers.decline && button(offers.decline.text, "plain", decline, { name: "decline" }),
      target && button(t("attack.button"), "danger main only-phone", attack, { off: !preview }),
      selected?.type === "store" && button(t("store.button", { tokens }), "primary main only-phone", store),
    ];
  }

  function hint() {
    if (isConfirmingDecline) return t("decline.sure");
    if (target) return t("attack.hint");
    if (selected?.type === "attack") return t("attack.choose");
    if (selected?.type === "store") return t("store.hint");
    return t("feed.hint");
  }
}

/** @param {FeedOption} option */
const lossLabel = ({ loss, text }) => loss?.replace(/^\d+ → 0/, t("attack.diesOut")) ?? text;

/** @param {OptionGroup} group */
const maxTokens = ({ options: [option] }) => option.most ?? 1;

/** @param {FeedOption[]} options @param {import("./types.js").Board[]} boards @returns {OptionGroup[]} */
function groupOptions(options, boards) {
  /** @type {Map<string, OptionGroup>} */
  const groupsByKey = new Map();
  for (const option of options) {
    const key = `${option.board} ${option.type}`;
    const existing = groupsByKey.get(key);
    if (existing) existing.options.push(option);
    else groupsByKey.set(key, { type: option.type, board: option.board, text: "", effect: option.effect ?? "", options: [option] });
  }
  const list = [...groupsByKey.values()];
  for (const group of list) {
    const name = speciesName(boards[group.board]).toLowerCase();
    if (group.type === "eat") group.text = t("feed.eat", { species: name });
    else if (group.type === "store") group.text = t("feed.store", { tokens: maxTokens(group), species: name });
    else {
      group.text = t("feed.attack", { species: name });
      group.effect = t("feed.targets", { count: group.options.length });
    }
  }
  return list;
}

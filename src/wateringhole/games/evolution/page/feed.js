// @ts-check
/**
 * Feeding: what can be done is lit, on the table and in a list. An attack is confirmed only after the page has shown
 * what would follow, as the rules themselves told it.
 */

import { h } from "/static/js/dom.js";
import { chain, possibilities, storing } from "./feed-panels.js";
import { button, refill } from "./panel.js";
import { nameOf, whose } from "./words.js";

/** @typedef {import("./types.js").FeedOffers} FeedOffers */
/** @typedef {import("./types.js").FeedOption} FeedOption */
/** @typedef {import("./types.js").PreviewMessage} PreviewMessage */
/** @typedef {import("./types.js").SafeTarget} SafeTarget */
/** @typedef {import("./task-context.js").Stage} Stage */
/** @typedef {import("./task-context.js").Task} Task */

/**
 * All that one species can do in one way: eat, store, or attack any of its targets.
 * @typedef {object} OptionGroup
 * @property {FeedOption["type"]} type
 * @property {number} board
 * @property {string} text
 * @property {string} effect
 * @property {FeedOption[]} options
 */

const ICONS = { eat: "food-plant", store: "fat-store", attack: "carnivore" };

/** @param {Stage} stage @param {FeedOffers} offers @returns {Task} */
export function feedTask(stage, offers) {
  const { actions, scene } = stage;
  const boards = scene.own?.boards ?? [];
  const groups = groupOptions(offers.options, boards);
  /** What I am about to do, and to whom. @type {OptionGroup | null} */
  let picked = null;
  /** @type {FeedOption | null} */
  let target = null;
  /** @type {PreviewMessage | null} */
  let preview = null;
  /** The protected board I asked about. @type {SafeTarget | null} */
  let asked = null;
  let tokens = 1;
  let isDeclining = false;
  let byKeyboard = false;

  /** @param {OptionGroup | null} group */
  function pick(group) {
    isDeclining = false;
    target = preview = asked = null;
    stage.choices.close();
    if (group?.type === "eat") return void actions.answer(group.options[0].answer);
    picked = group === picked ? null : group;
    if (picked?.type === "store") tokens = most(picked);
    stage.render();
    if (picked?.type === "attack") showTargets(picked);
  }

  /** @param {FeedOption} option */
  function aim(option) {
    if (!actions.consult({ type: "preview", answer: option.answer })) return;
    target = option;
    preview = asked = null;
    stage.render();
  }

  const letGo = () => {
    if (target) {
      target = preview = null;
      stage.render();
    } else pick(null);
  };

  /** On a phone the first target may lie beyond the edge. @param {OptionGroup} group */
  function showTargets({ options: [{ seat = 0, target: board = 0 }] }) {
    stage.boardAt(seat, board)?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  const attack = () => target && actions.answer(target.answer);
  const store = () => picked && actions.answer(tokens === most(picked) ? picked.options[0].answer : [picked.board, tokens]);

  /** @param {number} seat @param {number} board */
  const optionAt = (seat, board) =>
    picked?.type === "attack" ? picked.options.find((option) => option.seat === seat && option.target === board) : undefined;

  /** @param {number} seat @param {number} board */
  const safeAt = (seat, board) =>
    picked?.type === "attack"
      ? offers.safe.find((each) => each.board === picked?.board && each.seat === seat && each.target === board)
      : undefined;

  function decline() {
    if (!offers.decline) return;
    if (!offers.decline.final || isDeclining) return void actions.answer(offers.decline.answer);
    isDeclining = true;
    stage.render();
  }

  return {
    paint() {
      actions.hint(hint());
      refill(stage.left, possibilities(groups, boards, picked, ICONS, pick));
      refill(stage.right, rightPanel());
      refill(stage.confirm, confirmButtons());
      if (byKeyboard && preview) {
        byKeyboard = false;
        /** @type {HTMLElement | null} */ (stage.right.querySelector(".danger"))?.focus();
      }
    },
    decorate(seat, board) {
      const option = optionAt(seat, board);
      if (option)
        return {
          state: option === target ? "lit aimed" : "lit",
          tag: lossOf(option),
          press: `Attack ${whose(stage.names[seat])} species ${board + 1}: ${lossOf(option)}`,
        };
      const safe = safeAt(seat, board);
      const isGuarding = asked?.protector?.seat === seat && asked.protector.board === board;
      if (safe) return { state: isGuarding ? "safe guarding" : "safe", guard: safe.trait };
      if (isGuarding) return { state: "guarding" };
      if (seat !== stage.seat) return {};
      if (picked?.board === board) return { state: "acting", press: "Let go" };
      const mine = groups.filter((group) => group.board === board);
      return mine.length && !picked ? { state: "ready", press: mine.map((group) => group.text).join(", or ") } : {};
    },
    row: () => null,
    hand: () => ({ chosen: null, steps: [], asked: false }),
    places: () => ({ zone: false, food: null, buy: {}, mine: null }),
    card() {},
    takeBack() {},
    move() {},
    press(seat, board, byKey) {
      byKeyboard = byKey;
      const option = optionAt(seat, board);
      if (option) return option === target && preview ? undefined : aim(option);
      const mine = groups.filter((group) => group.board === board);
      if (picked?.board === board) return pick(null);
      if (mine.length === 1) return pick(mine[0]);
      const anchor = stage.boardAt(seat, board);
      if (anchor)
        stage.choices.open(
          anchor,
          `${nameOf(boards[board])}: what now?`,
          mine.map((group) => ({ text: `${group.text}: ${group.effect}`, icon: ICONS[group.type], act: () => pick(group) })),
        );
    },
    touch(seat, board) {
      const safe = safeAt(seat, board);
      const full = seat === stage.seat && !picked ? offers.full.find((each) => each.board === board) : undefined;
      const other = groups.find((group) => group.board === board);
      if (picked && seat === stage.seat && other) {
        pick(other);
        return true;
      }
      if (!safe && !full) return false;
      asked = safe ?? null;
      stage.render();
      stage.refuse(stage.boardAt(seat, board), (safe ?? full)?.text ?? "");
      return true;
    },
    zone: () => false,
    key(event) {
      const number = /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
      if (number && groups[number - 1]) {
        pick(groups[number - 1]);
        /** @type {HTMLElement | null} */ (stage.root.querySelector(".board.lit .press"))?.focus();
      } else if (event.key === "Escape" && (picked || isDeclining)) {
        // The focus goes back to the target that is let go, not to the top of the page.
        const back = target && stage.boardAt(target.seat ?? 0, target.target ?? 0);
        isDeclining = false;
        letGo();
        /** @type {HTMLElement | null | undefined} */ (back?.querySelector(".press"))?.focus();
      } else if (event.key === "Enter" && target && preview && !document.activeElement?.matches("button, a")) attack();
      else if (event.key === "Enter" && picked?.type === "store" && !document.activeElement?.matches("button, a")) store();
      else if (picked?.type === "store" && (event.key === "+" || event.key === "-")) change(event.key === "+" ? 1 : -1);
      else return false;
      return true;
    },
    onReply(message) {
      if (message.type !== "preview" || !target || JSON.stringify(message.answer) !== JSON.stringify(target.answer)) return;
      preview = message;
      stage.render();
    },
    onDisconnect() {
      if (!target || preview) return;
      target = null;
      stage.render();
    },
    remarks(seat, board) {
      const safe = safeAt(seat, board);
      const full = seat === stage.seat ? offers.full.find((each) => each.board === board) : undefined;
      const text = (safe ?? full)?.text;
      return text ? [h("p", { class: "remark" }, text)] : [];
    },
    aim: () => (picked && target ? [[stage.seat, picked.board], [target.seat ?? 0, target.target ?? 0]] : null),
  };

  /** @param {number} by */
  function change(by) {
    if (!picked) return;
    tokens = Math.max(1, Math.min(tokens + by, most(picked)));
    stage.render();
  }

  function rightPanel() {
    if (picked?.type === "store")
      return storing(boards[picked.board], tokens, picked.options[0], scene.hole, { change, store, letGo: () => pick(null) });
    if (picked?.type === "attack" && target) {
      const { seat = 0, target: board = 0 } = target;
      const victim = scene.players.find((player) => player.seat === seat)?.boards[board];
      const whom = `${whose(stage.names[seat])} ${victim ? nameOf(victim).toLowerCase() : "species"}`;
      const title = `${nameOf(boards[picked.board])} → ${whom}`;
      return chain(title, preview, scene, stage.names, { attack, letGo });
    }
    return [];
  }

  function confirmButtons() {
    if (isDeclining)
      return [
        h("p", { class: "small stay" }, "You will not be asked again this turn. Sure?"),
        button("Keep feeding", "ghost", () => ((isDeclining = false), stage.render())),
        button("No more food", "primary", decline, { name: "decline-sure" }),
      ];
    return [
      offers.decline && button(offers.decline.text, "plain", decline, { name: "decline" }),
      target && button("Attack", "danger main only-phone", attack, { off: !preview }),
      picked?.type === "store" && button(`Store ${tokens}`, "primary main only-phone", store),
    ];
  }

  function hint() {
    if (isDeclining) return "You will not be asked again this turn. Sure?";
    if (target) return "This is what would follow. Attack, or choose another target.";
    if (picked?.type === "attack") return "Choose a target with a red frame. A shield shows why the others are safe.";
    if (picked?.type === "store") return "How many tokens shall it store?";
    return "Your turn to feed: press a species with a yellow frame.";
  }
}

/** @param {FeedOption} option */
const lossOf = ({ loss, text }) => loss?.replace(/^\d+ → 0/, "dies out") ?? text;

/** @param {OptionGroup} group */
const most = ({ options: [option] }) => option.most ?? 1;

/** @param {FeedOption[]} options @param {import("./types.js").Board[]} boards @returns {OptionGroup[]} */
function groupOptions(options, boards) {
  /** @type {Map<string, OptionGroup>} */
  const found = new Map();
  for (const option of options) {
    const key = `${option.board} ${option.type}`;
    const known = found.get(key);
    if (known) known.options.push(option);
    else found.set(key, { type: option.type, board: option.board, text: "", effect: option.effect ?? "", options: [option] });
  }
  const list = [...found.values()];
  for (const group of list) {
    const name = nameOf(boards[group.board]).toLowerCase();
    if (group.type === "eat") group.text = `Feed the ${name}`;
    else if (group.type === "store") group.text = `Store up to ${most(group)} on the ${name}`;
    else {
      group.text = `Attack with the ${name}`;
      group.effect = `${group.options.length} ${group.options.length === 1 ? "target" : "targets"}`;
    }
  }
  return list;
}

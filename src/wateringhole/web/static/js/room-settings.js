// @ts-check
/** The settings of a table as sentences; the host chooses inside the sentence. */

import { h } from "./dom.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").TableInfo} TableInfo */
/** @typedef {import("./types.js").TableSettings} TableSettings */
/** @typedef {keyof TableSettings & ("public" | "time_limit" | "time_per_game")} SettingName */

const TIME_LIMITS = [null, 20, 60, 180, 600];
const GAME_TIMES = [null, 300, 900, 1800, 3600];

/** The settings in their order: each has the text around its choice, the possible values, and their words. */
const SETTINGS = [
  { name: /** @type {SettingName} */ ("public"), sentence: () => t("setting.public"), values: [false, true], word: (/** @type {any} */ value) => (value ? t("setting.isPublic") : t("setting.isPrivate")) },
  { name: /** @type {SettingName} */ ("time_limit"), sentence: () => t("setting.timeLimit"), values: TIME_LIMITS, word: (/** @type {any} */ value) => (value === null ? t("setting.houseLimit") : duration(value)) },
  { name: /** @type {SettingName} */ ("time_per_game"), sentence: () => t("setting.timePerGame"), values: GAME_TIMES, word: (/** @type {any} */ value) => (value === null ? t("setting.anyTime") : duration(value)) },
];

/** Stands for the choice in the text of a setting; translators may put it anywhere. */
const CHOICE = "[…]";

/** @param {TableInfo} table @param {boolean} isHost @param {(changes: Partial<TableSettings>) => void} change @param {HTMLElement} more */
export function settingsCard(table, isHost, change, more) {
  return h(
    "section",
    { class: "room-card paper" },
    h("h3", null, t("setting.title")),
    ...SETTINGS.map(({ name, sentence, values, word }) => {
      const [before = "", after = ""] = sentence().split(CHOICE);
      const value = table.settings[name];
      const rest = isHost ? h("span", { class: "chosen" }, choice(name, values, value, word, sentence().replace(CHOICE, ""), change), after) : [h("b", null, word(value)), after];
      return h("p", { class: "sentence" }, before, rest);
    }),
    h("p", { class: "small quiet" }, t("setting.lateHint")),
    more,
  );
}

/** @param {SettingName} name @param {any[]} values @param {any} value @param {(value: any) => string} word @param {string} label @param {(changes: any) => void} change */
function choice(name, values, value, word, label, change) {
  // Another program may have chosen a value that is not in the list.
  const all = values.includes(value) ? values : [...values, value];
  const select = h(
    "select",
    { class: "field", id: `setting-${name}`, "aria-label": label, onchange: () => change({ [name]: all[select.selectedIndex] }) },
    ...all.map((each) => h("option", { selected: each === value }, word(each))),
  );
  return select;
}

/** @param {number} seconds */
const duration = (seconds) => (seconds % 60 ? t("setting.seconds", { count: seconds }) : t("setting.minutes", { count: seconds / 60 }));

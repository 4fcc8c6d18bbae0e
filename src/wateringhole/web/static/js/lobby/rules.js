// @ts-check
/** The sheet for choosing the rules of a new table, with an explanation of each rule. */

import { h } from "../dom.js";
import { gameText } from "../games.js";
import { optionName, optionValue, profileName } from "../rules-text.js";
import { sheet } from "../sheet.js";
import { t } from "../text.js";

/** @typedef {import("./game.js").GameInfo} GameInfo */
/** @typedef {import("./game.js").Option} Option */

/**
 * @param {GameInfo} game
 * @param {string} profile
 * @param {Record<string, any>} options the ones that differ from the profile
 * @param {(profile: string, options: Record<string, any>) => void} done
 */
export function rulesSheet(game, profile, options, done) {
  const profiles = game.profiles.map(({ name, text }) =>
    h(
      "label",
      { class: "profile" },
      h("input", { type: "radio", name: "profile", value: name, checked: name === profile }),
      h("span", null, h("b", null, profileName(game.name, name)), text && h("small", null, gameText(game.name, `profile.${name}.text`) ?? text)),
    ),
  );
  const fields = game.options.map((option) => field(game, option, options[option.name]));
  const applyButton = h("button", { class: "btn primary", type: "button", onclick: apply }, t("rules.use"));
  const dialog = sheet(
    "rules",
    t("rules.title", { game: game.title }),
    [
      h("fieldset", { class: "profiles" }, h("legend", null, t("rules.profile")), ...profiles),
      h("details", { open: Object.keys(options).length > 0 }, h("summary", null, t("rules.change")), h("div", { class: "options" }, ...fields.map(({ root }) => root))),
    ],
    { actions: [applyButton] },
  );
  return dialog;

  function apply() {
    const chosen = dialog.querySelector("input[name=profile]:checked");
    const changed = Object.fromEntries(fields.filter(({ value }) => value() !== undefined).map(({ name, value }) => [name, value()]));
    done(chosen instanceof HTMLInputElement ? chosen.value : profile, changed);
    dialog.close();
  }
}

/**
 * Creates the field of one option, whose value is undefined if the profile's value is kept.
 * @param {GameInfo} game
 * @param {Option} option
 * @param {any} value
 */
function field(game, option, value) {
  const id = `option-${option.name}`;
  const title = optionName(game.name, option.name);
  const choices = option.kind === "flag" ? [true, false] : option.choices;
  const text = gameText(game.name, `option.${option.name}.text`) ?? option.text;
  const unchanged = t("rules.unchanged");
  if (choices) {
    const select = h(
      "select",
      { id, class: "field" },
      h("option", { value: "" }, unchanged),
      ...choices.map((choice) => h("option", { value: JSON.stringify(choice), selected: choice === value }, optionValue(game.name, option.name, choice))),
    );
    return { root: labelled(id, title, text, select), name: option.name, value: () => (select.value ? JSON.parse(select.value) : undefined) };
  }
  const input = h("input", { id, class: "field", type: "number", min: 0, placeholder: unchanged, value: value ?? null });
  return { root: labelled(id, title, text, input), name: option.name, value: () => (input.value === "" ? undefined : Number(input.value)) };
}

/** @param {string} id @param {string} title @param {string} text @param {HTMLElement} control */
const labelled = (id, title, text, control) =>
  h("div", { class: "option" }, h("label", { for: id }, title), control, text && h("small", null, text));

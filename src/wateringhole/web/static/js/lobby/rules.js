// @ts-check
/** The sheet on which the rules of a new table are chosen, each with its explanation. */

import { h } from "../dom.js";
import { sheet } from "../sheet.js";

/** @typedef {import("./game.js").GameInfo} GameInfo */
/** @typedef {import("./game.js").Option} Option */

/**
 * @param {GameInfo} game
 * @param {string} profile
 * @param {Record<string, any>} options those that differ from the profile
 * @param {(profile: string, options: Record<string, any>) => void} done
 */
export function rulesSheet(game, profile, options, done) {
  const profiles = game.profiles.map(({ name, text }) =>
    h(
      "label",
      { class: "profile" },
      h("input", { type: "radio", name: "profile", value: name, checked: name === profile }),
      h("span", null, h("b", null, name), text && h("small", null, text)),
    ),
  );
  const fields = game.options.map((option) => field(option, options[option.name]));
  const use = h("button", { class: "btn primary", type: "button", onclick: take }, "Use these rules");
  const made = sheet(
    "rules",
    `Rules of ${game.title}`,
    [
      h("fieldset", { class: "profiles" }, h("legend", null, "Whose rules"), ...profiles),
      h("details", { open: Object.keys(options).length > 0 }, h("summary", null, "Change single rules"), h("div", { class: "options" }, ...fields.map(({ root }) => root))),
    ],
    { actions: [use] },
  );
  return made;

  function take() {
    const chosen = made.querySelector("input[name=profile]:checked");
    const changed = Object.fromEntries(fields.filter(({ value }) => value() !== undefined).map(({ name, value }) => [name, value()]));
    done(chosen instanceof HTMLInputElement ? chosen.value : profile, changed);
    made.close();
  }
}

/**
 * One option: "as the profile says", or a value of its own.
 * @param {Option} option
 * @param {any} value
 */
function field(option, value) {
  const id = `option-${option.name}`;
  const title = option.name.replaceAll("_", " ");
  const choices = option.kind === "flag" ? [true, false] : option.choices;
  const asItIs = "as the profile says";
  if (choices) {
    const select = h(
      "select",
      { id, class: "field" },
      h("option", { value: "" }, asItIs),
      ...choices.map((choice) => h("option", { value: JSON.stringify(choice), selected: choice === value }, spoken(choice))),
    );
    return { root: labelled(id, title, option.text, select), name: option.name, value: () => (select.value ? JSON.parse(select.value) : undefined) };
  }
  const input = h("input", { id, class: "field", type: "number", min: 0, placeholder: asItIs, value: value ?? null });
  return { root: labelled(id, title, option.text, input), name: option.name, value: () => (input.value === "" ? undefined : Number(input.value)) };
}

/** @param {any} choice */
const spoken = (choice) => (choice === true ? "yes" : choice === false ? "no" : String(choice).replaceAll("_", " "));

/** @param {string} id @param {string} title @param {string} text @param {HTMLElement} control */
const labelled = (id, title, text, control) =>
  h("div", { class: "option" }, h("label", { for: id }, title), control, text && h("small", null, text));

// @ts-check
/** The operator's token, which this tab keeps until it is closed. */

import { post } from "../api.js";
import { h } from "../dom.js";
import { reportError, showError } from "../error-banner.js";
import { sheet } from "../sheet.js";
import { t } from "../text.js";

const KEY = "operator-token";

/** Returns the token if it was given in this tab, or null. */
export const operatorToken = () => sessionStorage.getItem(KEY);

/** Asks for the token, checks it, and calls `then` once it is known. @param {() => void} then */
export function askForToken(then) {
  const input = h("input", { class: "field", id: "token", type: "password", autocomplete: "off", required: true });
  const problem = h("p", { class: "small", role: "alert" });
  const form = h("form", { class: "box", onsubmit: check }, h("label", { for: "token" }, t("cup.token")), h("p", { class: "small" }, t("cup.tokenText")), input, problem, h("button", { class: "btn primary", type: "submit" }, t("cup.tokenUse")));
  const dialog = sheet("operator", t("cup.operator"), [form]);
  dialog.showModal();
  input.focus();
  /** @param {Event} event */
  async function check(event) {
    event.preventDefault();
    try {
      await post("/api/tournaments/operator", { token: input.value.trim() });
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      return;
    }
    sessionStorage.setItem(KEY, input.value.trim());
    dialog.close();
    then();
  }
}

/** Does something as the operator, and shows its error. @template T @param {(token: string) => Promise<T>} action @returns {Promise<T | null>} */
export async function asOperator(action) {
  try {
    showError("");
    return await action(operatorToken() ?? "");
  } catch (error) {
    reportError(error);
    return null;
  }
}

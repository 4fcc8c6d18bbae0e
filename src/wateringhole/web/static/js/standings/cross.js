// @ts-check
/** The cross table: how often each player finishes ahead of each other one. */

import { h } from "../dom.js";
import { t } from "../text.js";

/** @typedef {{names: string[], wins: number[][], games: number[][]}} Cross */

/** @param {number} share */
const shade = (share) => (share >= 0.8 ? "w3" : share >= 0.65 ? "w2" : share >= 0.53 ? "w1" : share > 0.46 ? "w0" : share > 0.25 ? "l1" : "l2");

/** @param {Cross} cross */
export function crossTable({ names, wins, games }) {
  const rows = names.map((name, row) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, name),
      ...names.map((other, column) => {
        const played = games[row]?.[column] ?? 0;
        if (row === column || played === 0) return h("td", { class: "self" }, h("span", { class: "vh" }, row === column ? t("cross.same") : t("cross.neverMet")));
        const share = (wins[row]?.[column] ?? 0) / played;
        const text = t("cross.ahead", { name, other, wins: wins[row]?.[column] ?? 0, count: played });
        const count = h("small", null, t("cross.count", { wins: wins[row]?.[column] ?? 0, played }));
        return h("td", { class: `num ${shade(share)}`, title: text }, Math.round(share * 100), " ", count);
      }),
    ),
  );
  return h(
    "table",
    null,
    h("caption", { class: "vh" }, t("cross.caption")),
    h("thead", null, h("tr", null, h("td"), ...names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, ...rows),
  );
}

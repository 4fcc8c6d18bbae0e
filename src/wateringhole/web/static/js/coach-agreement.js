// @ts-check
/** The choice in the waiting room whether a game with several people has a coach: it has one if all of them agree. */

import { h, setText } from "./dom.js";
import { formatList, t } from "./text.js";

/** @typedef {import("./types.js").TableInfo} TableInfo */

/** @param {(agrees: boolean) => void} agree sends my choice */
export function createAgreement(agree) {
  const box = h("input", { type: "checkbox", id: "agreement", onchange: () => agree(box.checked) });
  const note = h("p", { class: "small quiet", role: "status" });
  const root = h("div", { class: "agreement" }, h("label", { class: "privacy" }, box, t("agreement.label")), note);
  return {
    /** Adds the choice to the room, if other people play as well. @param {HTMLElement} room @param {TableInfo} table @param {number | null} seat */
    show(room, table, seat) {
      const people = table.seats.filter(({ kind }) => kind !== "bot");
      const mine = seat === null ? null : table.seats[seat];
      if (!mine || people.length < 2 || table.settings.rated || table.state !== "waiting") return root.remove();
      box.checked = Boolean(mine.wants_coach);
      const agreed = people.filter((each) => each.wants_coach).map(({ name }) => name);
      setText(note, table.coach ? t("agreement.all") : agreed.length ? t("agreement.some", { names: formatList(agreed) }) : t("agreement.none"));
      const hadFocus = document.activeElement === box;
      room.querySelector(".room-agreement")?.append(root);
      if (hadFocus) box.focus();
    },
  };
}

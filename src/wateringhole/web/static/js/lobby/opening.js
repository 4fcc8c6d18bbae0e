// @ts-check
/** Opening a table from the lobby or the page about me. */

import { myName, post, saveSeatToken, saveSecrets } from "../api.js";
import { reportError } from "../error-banner.js";
import { loadPreference } from "../preferences.js";
import { t } from "../text.js";

/** @typedef {import("./game.js").GameInfo} GameInfo */
/** @typedef {import("./game.js").TablePlan} TablePlan */

const RATED = "rated";

/** Returns whether my tables are rated, as I chose last. */
export const wantsRated = () => loadPreference(RATED) === "yes";

/** Opens a private table of the fewest seats against one bot, for one step of the ladder. @param {GameInfo} game @param {string} bot @param {boolean} rated */
export function openTable(game, bot, rated) {
  const opponents = Array.from({ length: game.least - 1 }, () => /** @type {const} */ ({ kind: "bot", player: bot }));
  const profile = game.profiles[0]?.name ?? "";
  return openPlan({ game: game.name, profile, options: {}, seats: [{ kind: "me" }, ...opponents], public: false, rated });
}

/** Opens a table and goes there. @param {TablePlan} plan */
export async function openPlan(plan) {
  try {
    const created = await post("/api/tables", { ...plan, name: myName() || t("lobby.guest") });
    const { table, token } = created;
    if (token) saveSeatToken(table.id, token);
    saveSecrets(created);
    location.assign(table.link);
  } catch (error) {
    reportError(error);
  }
}

// @ts-check
/** Short texts about a player's status: bot, away, or left. */

import { levelName } from "./levels.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").SeatInfo} SeatInfo */

/** Returns the label of a bot, with its level, or null for a human. @param {SeatInfo | undefined} info */
export function botLabel(info) {
  if (info?.kind !== "bot") return null;
  const bot = info.player && info.player !== info.name ? t("player.namedBot", { name: info.player }) : t("player.bot");
  return info.bot?.level ? t("player.levelBot", { bot, level: levelName(info.bot.level) }) : bot;
}

/** Returns that a player has left, or how long the seat is reserved, or null if the player is connected. @param {SeatInfo | undefined} info */
export function absenceLabel(info) {
  if (!info || info.kind === "bot" || !info.taken) return null;
  if (info.out) return t("player.hasLeft");
  if (info.here) return null;
  return info.away == null ? t("player.away") : t("player.awayFor", { time: formatSeconds(Math.round(info.away)) });
}

/** @param {number} seconds */
const formatSeconds = (seconds) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/**
 * Counts down the seconds of disconnected players between two updates from the server.
 * @param {(seats: SeatInfo[]) => void} show
 */
export function createAbsenceCountdown(show) {
  let timer = 0;
  return {
    /** @param {SeatInfo[]} seats the latest update */
    start(seats) {
      clearInterval(timer);
      if (!seats.some(({ away }) => away)) return;
      const start = performance.now();
      timer = setInterval(() => {
        const elapsed = Math.round((performance.now() - start) / 1000);
        show(seats.map((seat) => (seat.away ? { ...seat, away: Math.max(0, Math.round(seat.away) - elapsed) } : seat)));
      }, 1000);
    },
  };
}

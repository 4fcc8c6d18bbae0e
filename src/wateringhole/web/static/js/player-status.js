// @ts-check
/** What everybody may know of those who sit at the table, in texts. */

/** @typedef {import("./types.js").SeatInfo} SeatInfo */

/** Which bot sits here; null: a person does. @param {SeatInfo | undefined} info */
export function botOf(info) {
  if (info?.kind !== "bot") return null;
  return info.player && info.player !== info.name ? `bot: ${info.player}` : "bot";
}

/** Whether somebody has gone for good, or for how long the seat is still kept; null: all is well. @param {SeatInfo | undefined} info */
export function absenceOf(info) {
  if (!info || info.kind === "bot" || !info.taken) return null;
  if (info.out) return "has left";
  if (info.here) return null;
  return info.away == null ? "away" : `away, ${timeOf(Math.round(info.away))} left`;
}

/** @param {number} seconds */
const timeOf = (seconds) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/**
 * Counts the seconds of those who are away, between one news of the table and the next.
 * @param {(seats: SeatInfo[]) => void} show
 */
export function createPatience(show) {
  let timer = 0;
  return {
    /** @param {SeatInfo[]} seats as they are now */
    start(seats) {
      clearInterval(timer);
      if (!seats.some(({ away }) => away)) return;
      const start = performance.now();
      timer = setInterval(() => {
        const gone = Math.round((performance.now() - start) / 1000);
        show(seats.map((seat) => (seat.away ? { ...seat, away: Math.max(0, Math.round(seat.away) - gone) } : seat)));
      }, 1000);
    },
  };
}

// @ts-check
/** The replay page: a stored game, a file dropped here, or what this file itself carries. */

import { get } from "./api.js";
import { byId, h } from "./dom.js";
import { report, tell } from "./error-banner.js";
import { loadGame, loadIcons } from "./games.js";
import { finishedList } from "./lobby/lists.js";
import { showReplay } from "./replay/show.js";
import { embeddedReplay, namedMoment, replayOfFile, storedReplay } from "./replay/source.js";
import { hangSign, openDoor } from "./site-header.js";

/** @typedef {import("./types.js").Replay} Replay */

const root = byId("main");
/** @type {(() => void) | null} */
let putAway = null;

begin().catch(report);

async function begin() {
  const carried = await embeddedReplay();
  if (carried) {
    hangSign();
    // The viewer of a notebook has no address of its own.
    await open(carried, { record: null, hasAddress: location.protocol !== "about:" });
    return;
  }
  openDoor("/replay");
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
  });
  const stored = /^\/replay\/(.+)$/.exec(location.pathname)?.[1];
  if (stored) {
    const game = decodeURIComponent(stored);
    await open(await storedReplay(game), { record: `/api/games/${stored}/record`, hasAddress: true });
  } else await offer();
}

/** @param {Replay} replay @param {{record: string|null, hasAddress: boolean}} from */
async function open(replay, from) {
  const game = await loadGame(replay.page);
  putAway?.();
  tell("");
  document.title = `${replay.names.join(", ")} · Watering Hole`;
  putAway = showReplay(root, replay, game, namedMoment(), from);
}

/** Nothing chosen yet: files and finished games. */
async function offer() {
  const input = h("input", { type: "file", id: "file", class: "field", accept: ".jsonl,.json,.record,.txt,text/plain", onchange: () => input.files?.[0] && take(input.files[0]) });
  const past = h("ul", { class: "past paper" });
  root.replaceChildren(
    h(
      "div",
      { class: "offer" },
      h("h1", null, "Watch a game again"),
      h("section", { class: "drop paper" }, h("h2", null, "A record of yours"), h("p", null, "Drop the file anywhere on this page, or choose it."), h("label", { for: "file", class: "vh" }, "Record file"), input),
      h("section", null, h("h2", null, "Games played here"), past),
    ),
  );
  const lobby = await get("/api/lobby");
  await loadIcons(lobby.games);
  past.replaceChildren(...finishedList(lobby.finished));
}

/** @param {File} file */
async function take(file) {
  try {
    const replay = await replayOfFile(file);
    history.replaceState(null, "", "/replay");
    await open(replay, { record: null, hasAddress: false });
  } catch (error) {
    report(error);
  }
}

// @ts-check
/** The replay page: shows a stored game, a file chosen by the user, or the replay embedded in this file. */

import { get, idInAddress } from "./api.js";
import { byId, h } from "./dom.js";
import { reportError, showError } from "./error-banner.js";
import { gameText, loadGame, loadIcons } from "./games.js";
import { finishedList } from "./lobby/lists.js";
import { showReplay } from "./replay/show.js";
import { embeddedReplay, readPosition, replayFromFile, storedReplay } from "./replay/source.js";
import { showBrandOnly, showSiteHeader } from "./site-header.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Replay} Replay */

const root = byId("main");
/** @type {(() => void) | null} */
let disposeReplay = null;

start().catch(reportError);

async function start() {
  const embedded = await embeddedReplay();
  if (embedded) {
    showBrandOnly();
    // Inside a notebook the page has no URL.
    await openReplay(embedded, { record: null, game: null, hasAddress: location.protocol !== "about:" });
    return;
  }
  showSiteHeader("/replay");
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) openFile(file);
  });
  const game = idInAddress();
  if (game) await openReplay(await storedReplay(game), { record: `/api/games/${encodeURIComponent(game)}/record`, game, hasAddress: true });
  else await showChooser();
}

/** @param {Replay} replay @param {{record: string|null, game: string|null, hasAddress: boolean}} source */
async function openReplay(replay, source) {
  const game = await loadGame(replay.page);
  for (const turn of replay.turns) turn.label = gameText(replay.game, "turn.title", { number: turn.turn }) ?? turn.label;
  disposeReplay?.();
  showError("");
  document.title = t("page.titled", { title: replay.names.join(", ") });
  disposeReplay = showReplay(root, replay, game, readPosition(), source);
}

/** Shows a file field and the finished games. */
async function showChooser() {
  const input = h("input", { type: "file", id: "file", class: "field", accept: ".jsonl,.json,.record,.txt,text/plain", onchange: () => input.files?.[0] && openFile(input.files[0]) });
  const finished = h("ul", { class: "finished paper" });
  root.replaceChildren(
    h(
      "div",
      { class: "offer" },
      h("h1", null, t("replay.title")),
      h("section", { class: "drop paper" }, h("h2", null, t("replay.open")), h("p", null, t("replay.drop")), h("label", { for: "file", class: "vh" }, t("replay.file")), input),
      h("section", null, h("h2", null, t("replay.games")), finished),
    ),
  );
  const lobby = await get("/api/lobby");
  await loadIcons(lobby.games);
  finished.replaceChildren(...finishedList(lobby.finished));
}

/** @param {File} file */
async function openFile(file) {
  try {
    const replay = await replayFromFile(file);
    history.replaceState(null, "", "/replay");
    await openReplay(replay, { record: null, game: null, hasAddress: false });
  } catch (error) {
    reportError(error);
  }
}

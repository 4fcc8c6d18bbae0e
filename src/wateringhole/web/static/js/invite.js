// @ts-check
/** The invitations to a table: links to copy, to share with the system's dialog, and to scan. */

import { joinAddress, post, seatCodes } from "./api.js";
import { copyField } from "./copy-field.js";
import { h } from "./dom.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").TableInfo} TableInfo */

/** The pictures of the codes so far, by link. @type {Map<string, Promise<{image: string}>>} */
const codes = new Map();

/** Returns the command that joins a table from a terminal. @param {string} address @param {string} code @param {string} player */
export const joinCommand = (address, code, player) => `wateringhole join ${address}/${code} ${player}`;

/** Creates the card with the links to free seats, or null without any. @param {TableInfo} table */
export function inviteCard(table) {
  const free = table.seats.filter(({ taken, kind }) => !taken && kind === "person");
  const known = seatCodes(table.id);
  const secrets = free.flatMap(({ seat, key }) => (known[key] ? [{ seat, code: known[key] }] : []));
  /** @param {string} fragment */
  const address = (fragment) => new URL(`/table/${table.id}${fragment}`, location.href).href;
  const links = secrets.map(({ seat, code }) => ({ label: t("room.linkOf", { seat: seat + 1 }), url: address(`#invite=${code}`) }));
  if (!links.length && table.public && free.length) links.push({ label: t("room.tableLink"), url: address("") });
  if (!links.length) return null;
  return h(
    "section",
    { class: "room-card invitations paper" },
    h("h3", null, t("room.invite")),
    h("p", { class: "small" }, secrets.length ? t("room.links", { count: links.length }) : t("room.publicLink")),
    ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname) && h("p", { class: "small quiet" }, t("room.onlyHere")),
    ...links.map(({ label, url }, index) => invitation(table, label, url, index === 0)),
    secrets.length > 0 &&
      h("details", { id: "room-terminal" }, h("summary", null, t("room.orTerminal")), ...secrets.map(({ code }) => copyField(t("room.terminal"), joinCommand(joinAddress(table.id), code, "human")))),
  );
}

/** @param {TableInfo} table @param {string} label @param {string} url @param {boolean} isFirst */
function invitation(table, label, url, isFirst) {
  const share = () => navigator.share({ title: table.title, text: t("room.shareText", { game: table.title }), url }).catch(() => {});
  const canShare = typeof navigator.share === "function";
  const buttons = canShare ? [h("button", { class: "btn", type: "button", onclick: share }, t("room.share"))] : [];
  const code = h("details", { class: "code", open: isFirst, ontoggle: show }, h("summary", null, t("room.code")));
  if (isFirst) show();
  function show() {
    if (code.open && !code.querySelector("img")) drawCode(code, url, label);
  }
  return h("div", { class: "invitation-of" }, h("p", { class: "small quiet" }, label), copyField(label, url, ...buttons), code);
}

/** @param {HTMLElement} parent @param {string} url @param {string} label */
async function drawCode(parent, url, label) {
  const picture = h("img", { alt: t("room.codeOf", { label }), width: 148, height: 148 });
  parent.append(picture);
  if (!codes.has(url)) codes.set(url, post("/api/qr", { text: url }));
  try {
    picture.src = (await codes.get(url))?.image ?? "";
  } catch {
    // The link beside it works without the picture.
    codes.delete(url);
    parent.remove();
  }
}

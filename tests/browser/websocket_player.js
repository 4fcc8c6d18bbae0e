// A player for Evolution over a WebSocket, without any library.  It prints every message that it receives.
//
//     node websocket_player.js ws://ADDRESS NAME CODE
//
// Node.js 20 also needs --experimental-websocket.

"use strict";

const [address, name, code] = process.argv.slice(2);
const socket = new WebSocket(address);
const send = (message) => socket.send(JSON.stringify(message));

// Give the first card, and buy a species for the second while the row is short; it gets the trait of the third.
function declare({ own }) {
  const buys = own.boards.length < 3 && own.hand.length > 2;
  return [0, [], [], buys ? [[1, 2]] : [], []];
}

socket.onopen = () => send({ type: "hello", protocol: 1, name, code, events: true });
socket.onmessage = ({ data }) => {
  process.stdout.write(`${data}\n`);
  const { type, id, request, view, options } = JSON.parse(data);
  if (type === "bye") socket.close();
  if (type !== "request") return;
  const answers = { declare: () => declare(view), feed: () => options[0] };
  send({ type: "answer", id, answer: answers[request]() });
};

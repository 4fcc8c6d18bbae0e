#!/usr/bin/env node
// An Evolution player in JavaScript.
//
//     wateringhole play evolution "cmd:node examples/evolution_grower.js" silly greedy
//
// It gives its largest food card, keeps no more species than it can feed, and lets the hungriest eat first.
// The messages are described in docs/reference/protocol.md.

"use strict";
const readline = require("readline");

const USEFUL = ["long-neck", "cooperation", "foraging", "fertile", "burrowing", "climbing", "hard-shell", "herding"];
const MOST_BOARDS = 3;
let rules = {};

// Return a declaration: [food, populations, bodies, new boards, replacements].
function declare(view) {
  const hand = view.own.hand.map(([points, trait], index) => ({ points, trait, index }));
  const boards = view.players.find((player) => player.seat === view.seat).boards;
  hand.sort((a, b) => b.points - a.points);
  const food = hand.shift().index;

  // Use useful traits for new boards, and pay with the smallest of the other cards.
  const rank = (card) => (USEFUL.includes(card.trait) ? USEFUL.indexOf(card.trait) : USEFUL.length);
  hand.sort((a, b) => rank(a) - rank(b));
  const bought = [];
  const population = [];
  if (boards.length < MOST_BOARDS && hand.length >= 2) {
    const trait = hand.shift().index;
    const payment = hand.pop().index;
    const purchase = [payment, trait];
    if (hand.length && hand[0].trait !== view.own.hand[trait][1] && rules.most_traits_laid === null) {
      purchase.push(hand.shift().index);
    }
    if (rules.new_board_side === "choice") purchase.push("right");
    bought.push(purchase);
  }
  const sizes = boards.map((board) => board.population);
  while (hand.length > 2) {
    const smallest = sizes.indexOf(Math.min(...sizes));
    if (smallest < 0 || sizes[smallest] >= 4) break;
    sizes[smallest] += 1;
    population.push([smallest, hand.pop().index]);
  }
  return [food, population, [], bought, []];
}

// Return an option: feed the hungriest vegetarian, otherwise attack, otherwise store.
function feed(view, options) {
  const boards = view.players.find((player) => player.seat === view.seat).boards;
  const hunger = (board) => boards[board].population - boards[board].food;
  const plants = options.filter((option) => typeof option === "number");
  if (plants.length) return plants.reduce((a, b) => (hunger(b) > hunger(a) ? b : a));
  const attacks = options.filter((option) => option.length === 3);
  if (attacks.length) return attacks[0];
  const [board, tokens] = options[0];
  return [board, Math.min(tokens, view.hole)];
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") send({ type: "hello", protocol: 1, name: "grower" });
  if (message.type === "game") rules = message.rules;
  if (message.type !== "request") return;
  if (message.request === "declare") {
    send({ type: "answer", id: message.id, answer: declare(message.view) });
  } else if (message.request === "feed") {
    send({ type: "answer", id: message.id, answer: feed(message.view, message.options) });
  } else {
    send({ type: "pass", id: message.id });
  }
});

#!/usr/bin/env python3
"""A Porrinha player that uses only the standard library.

    wateringhole play porrinha cmd:examples/porrinha_counter.py random random

It counts the hands that each opponent has shown, and guesses the likeliest free sum.
The messages are described in docs/reference/protocol.md.
"""

import json
import random
import sys
from collections import Counter

seat = 0
seen = Counter()  # (player number, sticks owned, sticks shown) -> count
owned = []  # by seat: sticks at the start of the round
guests = []  # by seat: the player's number, the same for a whole series


def chances_of_hand(player, sticks):
    """Return the probability of each hand: its count plus one, normalized."""
    shown = [1 + seen[guests[player], sticks, hand] for hand in range(sticks + 1)]
    return [times / sum(shown) for times in shown]


def chances_of_sum(own_hand):
    """Return the probability of each sum of all hands."""
    chances = {own_hand: 1.0}
    for player, sticks in enumerate(owned):
        if player != seat and sticks > 0:
            sums = Counter()
            for partial_sum, probability in chances.items():
                for hand, chance in enumerate(chances_of_hand(player, sticks)):
                    sums[partial_sum + hand] += probability * chance
            chances = sums
    return chances


def guess(view):
    chances = chances_of_sum(view["own_hand"])
    free = [value for value in range(view["chopstick_count"] + 1) if value not in view["guess"]]
    return max(free, key=lambda value: chances.get(value, 0.0))


def remember(view):
    for player, hand in enumerate(view["hand"]):
        if player < len(owned) and 0 <= hand <= owned[player]:
            seen[guests[player], owned[player], hand] += 1


def send(**message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    view = message.get("view")
    match message["type"], message.get("notice") or message.get("request"):
        case "hello", _:
            send(type="hello", protocol=1, name="counter")
        case "game", _:
            seat = message["seat"]
            owned = []
        case "notice", "begin_game" if "guests" in message:  # under some rules, a game also ends with this notice
            guests = [guest["number"] for guest in message["guests"]]
        case "notice", "end_round":
            remember(view)
        case "request", "hand":
            owned = view["chopsticks"]
            send(type="answer", id=message["id"], answer=random.randint(view["lowest_hand"], owned[seat]))
        case "request", "guess":
            send(type="answer", id=message["id"], answer=guess(view))
        case "request", _:
            send(type="pass", id=message["id"])

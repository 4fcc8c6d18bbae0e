#!/usr/bin/env python3
"""A Porrinha player with nothing but the standard library.

    wateringhole play porrinha cmd:examples/porrinha_counter.py random random

It counts what each of the others has shown so far, and says the free sum that is most likely.
The messages are described in docs/protocol.md.
"""

import json
import random
import sys
from collections import Counter

seat = 0
seen = Counter()  # (who, sticks owned, sticks shown) -> how often
owned = []  # by seat: sticks when the round began
guests = []  # by seat: the number of a player, the same through a whole series


def chances_of_hand(player, sticks):
    """How likely each hand is: what was seen, and each possibility once more."""
    shown = [1 + seen[guests[player], sticks, hand] for hand in range(sticks + 1)]
    return [times / sum(shown) for times in shown]


def chances_of_sum(own_hand):
    chances = {own_hand: 1.0}
    for player, sticks in enumerate(owned):
        if player != seat and sticks > 0:
            sums = Counter()
            for so_far, likely in chances.items():
                for hand, chance in enumerate(chances_of_hand(player, sticks)):
                    sums[so_far + hand] += likely * chance
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


def say(**message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    view = message.get("view")
    match message["type"], message.get("notice") or message.get("request"):
        case "hello", _:
            say(type="hello", protocol=1, name="counter")
        case "game", _:
            seat = message["seat"]
            owned = []
        case "notice", "begin_game" if "guests" in message:  # some tables end a game with this call, too
            guests = [guest["number"] for guest in message["guests"]]
        case "notice", "end_round":
            remember(view)
        case "request", "hand":
            owned = view["chopsticks"]
            say(type="answer", id=message["id"], answer=random.randint(view["lowest_hand"], owned[seat]))
        case "request", "guess":
            say(type="answer", id=message["id"], answer=guess(view))
        case "request", _:
            say(type="pass", id=message["id"])

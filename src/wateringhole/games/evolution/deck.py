"""The option for the order of the deck: `--deck ascending`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import did_you_mean
from wateringhole.game import DealOption
from wateringhole.games.evolution.rules.cards import TraitCard

__all__ = ["DECK"]

ORDERS = ("ascending", "shuffled")


def _parse(value: str) -> str | Sequence[TraitCard]:
    """Return the order, or the cards of a file.  Raises UsageError if the file does not contain a deck."""
    if value in ORDERS:
        return value
    from wateringhole.games.evolution.rules.codec import cards_from_json
    from wateringhole.protocol.json import parse

    try:
        return cards_from_json(parse(Path(value).read_bytes()))
    except OSError as error:
        raise OperationError(f"{value} cannot be read: {error.strerror}.{did_you_mean(value, ORDERS)}") from None
    except ValueError as error:
        raise UsageError(f"{error}. A deck is a JSON list of [points, trait].") from None


DECK = DealOption("deck", "the order of the deck", "ascending, shuffled or a file", _parse)

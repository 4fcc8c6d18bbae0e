"""The settings of a table: the host's choices that are no rules of the game."""

from __future__ import annotations

import msgspec

from wateringhole.errors import UsageError

__all__ = ["TableSettings"]

LEAST_SECONDS = 5
"""The shortest time limit for one decision."""
GAME_SECONDS = (60, 86_400)
"""The shortest and the longest time for all decisions of a game."""


class TableSettings(msgspec.Struct, kw_only=True):
    """The settings of a table.  Its host can change them until the game starts.

    The plan of a table and the request for a new table have these fields, too.  So a new setting is one new field, with
    a default for the tables of earlier versions.
    """

    public: bool = True
    """True if the lobby lists the table, and its free seats need no invitation."""
    time_limit: int | None = None
    """Seconds for one decision of a human, or None for the limit of the house."""
    time_per_game: int | None = None
    """Seconds for all decisions of a human in the game, or None for no limit."""

    rated: bool = False
    """True if the result counts for ratings (`people`).  It is chosen when the table is opened.  There is no coach."""

    @classmethod
    def of(cls, source: TableSettings) -> TableSettings:
        """Return the settings of a plan, or of a request for a table."""
        return msgspec.convert(source, TableSettings, from_attributes=True)

    def apply_to(self, plan: TableSettings) -> None:
        """Change the settings of a plan to these."""
        for name in TableSettings.__struct_fields__:
            setattr(plan, name, getattr(self, name))

    def check(self, longest: float) -> None:
        """Raise UsageError if a value is not possible in a house with this time limit for one decision."""
        if self.time_limit is not None and not LEAST_SECONDS <= self.time_limit <= longest:
            raise UsageError(f"A decision may take {LEAST_SECONDS} to {longest:g} seconds here, not {self.time_limit}.")
        least, most = GAME_SECONDS
        if self.time_per_game is not None and not least <= self.time_per_game <= most:
            raise UsageError(f"All decisions of a game may take {least} to {most} seconds, not {self.time_per_game}.")

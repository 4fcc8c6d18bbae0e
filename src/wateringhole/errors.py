"""The exceptions that a user can cause.

::

    WateringHoleError
    ├── UsageError           the command or call is wrong: exit status 2
    │   └── PlayerNotMade    the code of a player failed before the first game
    └── OperationError       the command or call failed: exit status 1
        └── NotFound         the requested thing does not exist

Each message is written for the user: it names the input, the rule that the input breaks and what
to do about it.  Any other exception is a bug in this package.
"""

__all__ = [
    "NotFound",
    "OperationError",
    "PlayerNotMade",
    "PromptCancelled",
    "Terminated",
    "UsageError",
    "WateringHoleError",
]


class WateringHoleError(Exception):
    """An error to report to the user in one or two sentences, without a traceback."""


class UsageError(WateringHoleError):
    """A wrong command, name, option or argument."""


class PlayerNotMade(UsageError):
    """A player whose code cannot be loaded, or fails when the player is made."""

    def __init__(self, message: str, why: str = "", traceback: str = "") -> None:
        super().__init__(message)
        self.why = why
        """The exception, with the line of its author."""
        self.traceback = traceback
        """The lines of its author, to print before the message."""


class OperationError(WateringHoleError):
    """A command or call that failed."""


class NotFound(OperationError):
    """The requested thing does not exist, or no longer exists."""


class PromptCancelled(BaseException):
    """The host no longer needs the answer that a human is typing.  Never a player's own error."""


class Terminated(KeyboardInterrupt):
    """Raised by SIGTERM and SIGHUP, also while a player's code runs; never by a player."""

"""What can go wrong, and whose fault it is.

::

    WateringHoleError
    ├── UsageError       the request makes no sense: exit status 2
    └── OperationError   the request was understood and could not be met: exit status 1
        └── NotFound     what was asked for does not exist

The text of each is written for the person at the keyboard: it names the input, the rule it
breaks and what to do about it.  Whatever else is raised is a bug of ours.
"""

__all__ = ["NotFound", "OperationError", "Terminated", "UsageError", "WateringHoleError"]


class WateringHoleError(Exception):
    """Something to tell the user in one or two sentences, without a traceback."""


class UsageError(WateringHoleError):
    """A command, a name or an option that cannot be what the user meant."""


class OperationError(WateringHoleError):
    """The thing asked for was tried and did not succeed."""


class NotFound(OperationError):
    """What was asked for does not exist, or not any more."""


class Terminated(KeyboardInterrupt):
    """Raised where a process is told to end, in the midst of whatever a player does there; never by a player."""

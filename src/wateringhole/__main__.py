"""The program `wateringhole`, also as `python -m wateringhole`.

It imports the commands only after it can report Ctrl-C, because the imports take a noticeable time.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run a command.  Ctrl-C prints a message to standard error, also while modules are imported."""
    try:
        from wateringhole import cli

        cli.main()
    except KeyboardInterrupt:
        print("\nwateringhole: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()

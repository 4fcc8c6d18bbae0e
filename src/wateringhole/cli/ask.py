"""`wateringhole ask`: gives a player a saved request again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import Json, protect_stdout, read_file
from wateringhole.cli.game_output import print_json
from wateringhole.errors import OperationError, UsageError

if TYPE_CHECKING:
    from wateringhole.match.failures import Failure, Reaction

__all__ = ["ask"]


def ask(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Player: mine.py:Mine, cmd:./mine, …")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Request that play or check saved.")],
    pdb: Annotated[bool, typer.Option("--pdb", help="Start Python's debugger where a Python bot fails.")] = False,
    json: Json = False,
) -> None:
    """Give a player a saved request again, and show its answer or its traceback.

    The player gets all messages that it had got before the request, too.  A Python bot runs in this process.  The exit
    status is 1 if the player fails, breaks a rule or does not answer in time.

    Example: wateringhole ask mine.py:Mine request.json
    """
    import contextlib

    from wateringhole import registry
    from wateringhole.match.failures import ask_again, read_failure
    from wateringhole.match.specs import parse_specs, split_spec
    from wateringhole.player import PlayerContext

    failure = read_failure(read_file(file), str(file))
    try:
        kind = registry.game_kind(failure.game)
    except UsageError as error:
        raise OperationError(f"{file}: {error}") from None
    command, _ = split_spec(player)
    if pdb and command is not None:
        raise UsageError(
            f"--pdb: {player} runs in its own process. Name a Python bot, e.g. mine.py:Mine, or omit --pdb."
        )
    with contextlib.ExitStack() as stack, protect_stdout(as_json=json, has_time_limit=False):
        named, *others = parse_specs(kind.name, [player])
        if others:
            raise UsageError(f"{player}: only one player can be asked at a time. Omit the * and its number.")
        with PlayerContext(failure.players):
            made = named.make(failure.seed)
        stack.callback(made.close)
        reaction = ask_again(failure, made, str(file))
        found = _describe(failure, reaction)
        if not json:
            _show(found)
        if pdb and reaction.error:
            from pdb import post_mortem

            post_mortem(reaction.error.__traceback__)
    if json:
        print_json(found)
    raise typer.Exit(0 if found["is_legal"] else 1)


def _describe(failure: Failure, reaction: Reaction) -> dict[str, Any]:
    """Return a reaction for `--json`."""
    from wateringhole.match.failures import traceback_of
    from wateringhole.player import forfeit_for

    reply = reaction.reply or {}
    message = reaction.message
    forfeit = forfeit_for(reaction.error) if reaction.error else None
    return {
        "game": failure.game,
        "message": reaction.number,
        "messages": len(failure.messages),
        "asked": message.get("request") or message.get("notice") or message.get("event") or message["type"],
        "answer": reply.get("answer"),
        "is_legal": not reaction.has_failed,
        "reason": reply.get("reason") or (forfeit.reason if forfeit else None),
        "rule": reply.get("rule"),
        "problem": reply.get("message") or (forfeit.message if forfeit else None),
        "traceback": traceback_of(reaction.error) if reaction.error else None,
    }


def _show(found: dict[str, Any]) -> None:
    import sys

    import msgspec

    print(f"{found['game']}: {found['asked']}, message {found['message']} of {found['messages']}")
    if found["traceback"]:
        print(found["traceback"].rstrip(), file=sys.stderr)
    elif not found["is_legal"]:
        rule = f" ({found['rule']})" if found["rule"] else ""
        print(f"failed: {found['reason']}{rule}: {found['problem']}")
    elif found["answer"] is None:
        print("no failure")
    else:
        print(f"answer: {msgspec.json.encode(found['answer']).decode()}\nlegal")

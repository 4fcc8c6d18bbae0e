"""Fuzz all targets for some minutes (`make fuzz MINUTES=5`), or run one input (`make fuzz INPUT=FILE`).

What the search finds goes to `build/fuzz`.  The next run starts from there and from the corpus in `tests/fuzz`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.fuzz.corpus import CORPUS
from tools.fuzz.targets import TARGETS

__all__ = ["fuzz", "main", "run_input"]

FOUND = Path("build/fuzz")
MOST_BYTES = 20_000
"""The longest input."""
MOST_SECONDS = 20
"""The longest time for one input."""
MOST_MEGABYTES = 2048


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 1 if an input fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description="Look for inputs that cause errors.")
    parser.add_argument("--minutes", type=float, default=5.0, help="time for all targets together")
    parser.add_argument("--target", choices=[*TARGETS], action="append", help="fuzz only this target; repeatable")
    parser.add_argument("--input", type=Path, metavar="FILE", help="run one input, in a folder named like its target")
    chosen = parser.parse_args(arguments)
    if chosen.input is not None:
        if chosen.input.parent.name not in TARGETS:
            parser.error(f"{chosen.input} must be in a folder named like a target: {', '.join(TARGETS)}.")
        if not chosen.input.is_file():
            parser.error(f"there is no file {chosen.input}.")
        run_input(chosen.input)
        return 0
    targets = chosen.target or [*TARGETS]
    seconds = max(1, round(chosen.minutes * 60 / len(targets)))
    failed = [target for target in targets if not fuzz(target, seconds)]
    return 1 if failed else 0


def run_input(path: Path) -> None:
    """Run an input through the target that its folder is named after.  Raises what the target raises."""
    TARGETS[path.parent.name](path.read_bytes())
    print(f"{path}: fine")


def fuzz(target: str, seconds: int) -> bool:
    """Fuzz a target and print the result.  Return whether no input failed."""
    folder = FOUND / target
    reached = folder / "corpus"
    reached.mkdir(parents=True, exist_ok=True)
    before = {*folder.iterdir()}
    command = [
        *(sys.executable, "-m", "tools.fuzz.engine", target, str(reached), str(CORPUS / target)),
        *(f"-max_total_time={seconds}", f"-timeout={MOST_SECONDS}", f"-rss_limit_mb={MOST_MEGABYTES}"),
        *(f"-max_len={MOST_BYTES}", f"-artifact_prefix={folder}/", "-print_final_stats=1"),
    ]
    log = folder / "log"
    with log.open("wb") as output, tempfile.TemporaryDirectory() as temporary:
        engine = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": temporary},
            process_group=0,
        )
        try:
            status = engine.wait()
        finally:
            # libFuzzer exits without stopping the server that a target has started.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(engine.pid, signal.SIGKILL)
    text = log.read_text(errors="replace")
    if status == 0:
        count = re.search(r"number_of_executed_units: (\d+)", text)
        print(f"{target}: {count[1] if count else '?'} inputs, and none failed", flush=True)
        return True
    failing = sorted({*folder.iterdir()} - before - {log})
    print(text[-3000:])
    print(f"{target}: failed; the whole output is in {log}")
    for path in failing:
        print(f"  run the input again:  make fuzz INPUT={path}")
        print(f"  when it is fixed:     mv {path} tests/fuzz/corpus/{target}/")
    sys.stdout.flush()
    return False


if __name__ == "__main__":
    # Stop the engine and its server, too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main())

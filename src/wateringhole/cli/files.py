"""Files that are written whole or not at all, at places that were tried before the long work began."""

from __future__ import annotations

import os
from pathlib import Path

from wateringhole.errors import OperationError

__all__ = ["check_writable", "write_atomically"]


def check_writable(path: Path) -> None:
    """Raise OperationError where a file could not be written later; leaves everything as it is."""
    try:
        if _is_special(path):
            path.open("ab").close()
        else:
            unfinished = _unfinished(path)
            unfinished.touch()
            unfinished.unlink()
    except OSError as error:
        raise _failure(path, error) from None


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file; until it is whole, one that was there before stays."""
    try:
        if _is_special(path):
            path.write_bytes(content)
        else:
            unfinished = _unfinished(path)
            unfinished.write_bytes(content)
            unfinished.replace(path.resolve())
    except OSError as error:
        raise _failure(path, error) from None


def _is_special(path: Path) -> bool:
    """Whether this is something that must not be replaced: a folder, which cannot be written, a pipe or a device."""
    return path.exists() and not path.is_file()


def _unfinished(path: Path) -> Path:
    """Beside the file that a link may lead to, since files are not moved from disk to disk."""
    target = path.resolve()
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def _failure(path: Path, error: OSError) -> OperationError:
    missing = isinstance(error, FileNotFoundError) and not path.parent.exists()
    why = f"there is no folder {path.parent}" if missing else error.strerror
    return OperationError(f"{path} cannot be written: {why}.")

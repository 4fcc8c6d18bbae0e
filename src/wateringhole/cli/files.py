"""Files that are written completely or not at all, at paths that were checked before."""

from __future__ import annotations

import os
from pathlib import Path

from wateringhole.errors import OperationError

__all__ = ["check_writable", "write_atomically"]


def check_writable(path: Path) -> None:
    """Raise OperationError if a file could not be written later; change nothing."""
    try:
        if _is_special(path):
            path.open("ab").close()
        else:
            temporary = _temporary(path)
            temporary.touch()
            temporary.unlink()
    except OSError as error:
        raise _failure(path, error) from None


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file; an existing one stays until the new one is complete."""
    try:
        if _is_special(path):
            path.write_bytes(content)
        else:
            temporary = _temporary(path)
            try:
                temporary.write_bytes(content)
                temporary.replace(path.resolve())
            finally:
                # A part of it is left if the disk is full.
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _failure(path, error) from None


def _is_special(path: Path) -> bool:
    """Return whether a path must not be replaced: a folder, which cannot be written, a pipe or a device."""
    return path.exists() and not path.is_file()


def _temporary(path: Path) -> Path:
    """Return a path beside the target of a link, because files cannot be renamed across disks."""
    target = path.resolve()
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def _failure(path: Path, error: OSError) -> OperationError:
    missing = isinstance(error, FileNotFoundError) and not path.parent.exists()
    why = f"there is no folder {path.parent}" if missing else error.strerror
    return OperationError(f"{path} cannot be written: {why}.")

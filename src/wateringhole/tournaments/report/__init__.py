"""The report of a tournament: its data, its plots, and the page that shows them."""

from __future__ import annotations

from importlib.util import find_spec

from wateringhole.errors import OperationError

__all__ = ["require_report"]


def require_report(*packages: str) -> None:
    """Raise OperationError if the packages for a page are not installed; import none of them."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise OperationError(
            f"a report needs {' and '.join(missing)}, not installed here. "
            "Install the extra with: pip install 'wateringhole[tournament]'"
        )

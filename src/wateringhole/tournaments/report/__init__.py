"""The report of a tournament: what there is to tell (`data`), its plots, and the page that shows them."""

from __future__ import annotations

from importlib.util import find_spec

from wateringhole.errors import OperationError

__all__ = ["require_report"]


def require_report() -> None:
    """Raise OperationError where the packages that draw and write pages are not installed; imports none of them."""
    missing = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if missing:
        raise OperationError(
            f"a report needs {' and '.join(missing)}, not installed here; "
            "install the extra with: pip install 'wateringhole[tournament]'"
        )

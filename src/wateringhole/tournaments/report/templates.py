"""The templates of self-contained pages, and the styles that they share with the house's page."""

from __future__ import annotations

from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from wateringhole import __version__
from wateringhole.formatting import single_line
from wateringhole.tournaments.report.wording import format_estimate, format_time, share

__all__ = ["render"]


def render(template: str, **values: Any) -> bytes:
    """Return a page.  Everything but `Markup` is escaped, and a missing value is an error."""
    files = resources.files(__package__)
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(lambda name: (files / name).read_text(encoding="utf-8")),
    )
    environment.filters.update(
        {
            "number": _number,
            "format_estimate": format_estimate,
            "share": share,
            "format_time": format_time,
            "plain": single_line,
        }
    )
    # Colours and sizes are those of the house's page, so that all pages look alike.
    tokens = resources.files("wateringhole") / "web" / "static" / "css" / "tokens.css"
    styles = "\n".join(file.read_text(encoding="utf-8") for file in (tokens, files / "page.css"))
    text = environment.get_template(template).render(styles=Markup(styles), version=__version__, **values)
    return text.encode(errors="replace")


def _number(value: float, form: str = ",.0f") -> str:
    return format(value, form)

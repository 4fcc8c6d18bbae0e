"""The language of a page, and the page's texts that the server needs."""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

from wateringhole.texts import LANGUAGES
from wateringhole.web.files import STATIC

__all__ = ["COOKIE", "VARY", "lang_tag", "language_of", "page_text", "translate_html"]

_TAGS = {"en": "en", "pt": "pt-BR"}
COOKIE = "language"
"""The cookie with the language that a user has chosen."""
VARY = {"Vary": "Accept-Language, Cookie"}
"""The header of responses whose texts depend on the language."""

_PLACEHOLDER = re.compile(r"\{\{([\w.]+)\}\}")


def language_of(headers: Mapping[str, str]) -> str:
    """Return the language for a request: the chosen one, otherwise the first that the browser accepts.

    >>> language_of({"accept-language": "fr, pt-PT;q=0.8, en;q=0.5"})
    'pt'
    >>> language_of({"accept-language": "en, pt", "cookie": "language=pt"})
    'pt'
    >>> language_of({})
    'en'
    """
    chosen = _cookie(headers.get("cookie", ""))
    accepted = _accepted(headers.get("accept-language", ""))
    return next((language for language in [chosen, *accepted] if language in LANGUAGES), LANGUAGES[0])


def _cookie(header: str) -> str:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _accepted(header: str) -> list[str]:
    """Return the accepted languages without their regions, the preferred first."""
    weighted = []
    for part in header.split(","):
        tag, _, parameters = part.partition(";")
        _, _, weight = parameters.partition("q=")
        try:
            quality = float(weight) if weight else 1.0
        except ValueError:
            quality = 0.0
        if quality > 0:
            weighted.append((quality, tag.strip().partition("-")[0].lower()))
    return [tag for _, tag in sorted(weighted, key=lambda each: -each[0])]


def page_text(key: str, language: str) -> str:
    """Return a text of the page."""
    return str(_texts(language)[key])


@functools.cache
def _texts(language: str) -> dict[str, object]:
    """Return the texts of the page, from a JavaScript module that holds them as JSON in parentheses."""
    module = (STATIC / "text" / f"{language}.js").read_text(encoding="utf-8")
    texts: dict[str, object] = json.loads(module[module.index("({") + 1 : module.rindex("})") + 1])
    return texts


def lang_tag(language: str) -> str:
    """Return what the `lang` of a document calls a language."""
    return _TAGS[language]


def translate_html(page: str, language: str) -> str:
    """Return a page with the texts for its ``{{keys}}``, and its language."""
    page = page.replace('<html lang="en">', f'<html lang="{lang_tag(language)}">')
    return _PLACEHOLDER.sub(lambda found: html.escape(page_text(found[1], language)), page)

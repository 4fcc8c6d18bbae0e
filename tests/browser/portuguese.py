"""The words that a Portuguese page may show: those of the Portuguese texts, and names."""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

import wateringhole
from wateringhole import fallbacks, registry

__all__ = ["foreign_texts"]

PACKAGE = Path(wateringhole.__file__).parent
WORD = re.compile(r"[^\W\d_]{2,}")
DIGEST = re.compile(r"sha256:\w+")
NAMES = "Ada Ana Bea Cid wateringhole tournament Watering Hole English EN PT Alt Ctrl End Home Enter Esc Tab JSON QR kB"
DATES = "jan fev mar abr mai jun jul ago set out nov dez"

TEXTS = """() => {
  const outside = "script, style, code, body [lang=en]";
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(outside);
  const texts = [document.title];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode())
    if (node.data.trim() && isShown(node.parentElement)) texts.push(node.data.trim());
  const attributes = ["aria-label", "aria-valuetext", "aria-roledescription", "title", "placeholder", "alt"];
  for (const element of document.querySelectorAll(attributes.map((name) => `[${name}]`).join()))
    for (const name of attributes)
      if (isShown(element) && element.hasAttribute(name)) texts.push(element.getAttribute(name));
  return texts;
}"""
"""All texts on the screen, and those that a screen reader reads."""


def foreign_texts(page: Page) -> list[str]:
    """Return the texts on the screen that contain a word of no Portuguese text, each with that word."""
    known = known_words()
    texts = [DIGEST.sub("", text) for text in page.evaluate(TEXTS)]
    found = {(text, word) for text in texts for word in WORD.findall(text) if word.lower() not in known}
    return sorted(f"{word}: {text}" for text, word in found)


@functools.cache
def known_words() -> frozenset[str]:
    """Return the words of all Portuguese texts and the names, in lower case."""
    texts = [NAMES, DATES]
    for path in [PACKAGE / "web/static/text/pt.js", *PACKAGE.glob("games/*/page/text/pt.js")]:
        module = path.read_text(encoding="utf-8")
        texts += _texts(json.loads(module[module.index("({") + 1 : module.rindex("})") + 1]))
    for path in [*PACKAGE.glob("games/*/text/pt.py"), *PACKAGE.glob("games/*/text/pt/*.py")]:
        literals = _Literals()
        literals.visit(ast.parse(path.read_text(encoding="utf-8")))
        texts += literals.found
    for kind in registry.kinds():
        texts += [kind.display_name, *fallbacks.bots(kind)]
    return frozenset(word.lower() for text in texts for word in WORD.findall(text))


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a file, without their keys."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    else:
        yield re.sub(r"\{\w+\}", " ", value)


class _Literals(ast.NodeVisitor):
    """The texts in a Python module, without its docstrings and the English names that it compares or looks up."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.found.append(node.value)

    def visit_Expr(self, node: ast.Expr) -> None: ...

    def visit_Compare(self, node: ast.Compare) -> None: ...

    def visit_Raise(self, node: ast.Raise) -> None: ...

    def visit_Dict(self, node: ast.Dict) -> None:
        for value in node.values:
            self.visit(value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not (isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"):
            self.generic_visit(node)

"""The texts of the page and of the games' pages: the same keys and placeholders in all languages, and none unused."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

import wateringhole
from wateringhole import fallbacks, options, registry
from wateringhole.formatting import sentence
from wateringhole.texts import LANGUAGES

PACKAGE = Path(wateringhole.__file__).parent
STATIC = PACKAGE / "web/static"
FOLDERS = [STATIC, *sorted(path.parent for path in PACKAGE.glob("games/*/page/text"))]
"""The folders that have texts, each in a folder `text`."""

PLACEHOLDER = re.compile(r"\{(\w+)\}")


def _texts(folder: Path, language: str) -> dict[str, Any]:
    return _read(folder / "text" / f"{language}.js")


def _sentences() -> dict[str, Any]:
    """Return the English sentences of the server, which the page translates."""
    return _read(STATIC / "text/server.js")


def _read(file: Path) -> dict[str, Any]:
    module = file.read_text(encoding="utf-8")
    pairs: list[tuple[str, Any]] = json.loads(
        module[module.index("({") + 1 : module.rindex("})") + 1], object_pairs_hook=_unique
    )
    return dict(pairs)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), f"given twice: {sorted(name for name in names if names.count(name) > 1)}"
    return dict(pairs)


def _forms(message: Any) -> dict[str, str]:
    """Return the forms of a text by plural category; one that does not depend on a number has only `other`."""
    return {"other": message} if isinstance(message, str) else message


def _id(folder: Path) -> str:
    return folder.parent.name


@pytest.fixture(params=FOLDERS, ids=_id)
def folder(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def _is_sentence(key: str) -> bool:
    return key.startswith("server.")


def test_every_text_exists_in_every_language(folder: Path) -> None:
    english, *others = (_texts(folder, language) for language in LANGUAGES)
    assert english
    for other in others:
        keys = [key for key in other if not _is_sentence(key)]
        assert keys == list(english), "the files list the same keys in the same order"


def test_every_sentence_of_the_server_is_translated() -> None:
    english, *others = (_texts(STATIC, language) for language in LANGUAGES)
    assert not any(map(_is_sentence, english)), "the English page shows them as they are"
    for other in others:
        assert list(filter(_is_sentence, other)) == list(_sentences())
        for key, english_text in _sentences().items():
            # What the server writes may contain a part that cannot be translated.
            assert set(PLACEHOLDER.findall(other[key])) <= set(PLACEHOLDER.findall(english_text)), key


def test_translations_have_the_same_placeholders(folder: Path) -> None:
    english, *others = (_texts(folder, language) for language in LANGUAGES)
    for other in others:
        for key, message in english.items():
            assert isinstance(other[key], str) or not isinstance(message, str), f"{key} gets no count"
            expected = set(PLACEHOLDER.findall(_forms(message)["other"]))
            found = set(PLACEHOLDER.findall(_forms(other[key])["other"]))
            assert found == expected, key


def test_forms_of_a_text_differ_only_in_the_number(folder: Path) -> None:
    for language in LANGUAGES:
        for key, message in _texts(folder, language).items():
            forms = _forms(message)
            assert forms.keys() <= {"zero", "one", "other"}, key
            assert len(forms) == 1 or {"one", "other"} <= forms.keys(), key
            for form in forms.values():
                missing = set(PLACEHOLDER.findall(forms["other"])) - set(PLACEHOLDER.findall(form))
                assert missing <= {"count"}, key
                assert form.strip(), key


# The sources

CALL = re.compile(r"""\bt(?:\.find)?\(\s*(?:"([^"]+)"|`([^`]+)`)""")
FROM_GAME = re.compile(r"""\bgameText\([^,]+,\s*(?:"([^"]+)"|`([^`]+)`)""")
"""Texts of a game that the shared pages show."""
IN_HTML = re.compile(r"\{\{([\w.]+)\}\}")
IN_PYTHON = re.compile(r"\bpage_text\(\s*[\"']([\w.]+)[\"']")


def _used(folder: Path) -> tuple[set[str], list[str]]:
    """Return the keys that the sources of a folder use, and patterns for those that they put together."""
    keys: set[str] = set()
    patterns: list[str] = []
    calls = _found(folder, CALL) + ([] if folder == STATIC else _found(STATIC, FROM_GAME))
    for key, template in calls:
        if key:
            keys.add(key)
        else:
            patterns.append(re.sub(r"\\\$\\\{.*?\\\}", ".+", re.escape(template)))
    if folder == STATIC:
        for path in folder.rglob("*.html"):
            keys |= set(IN_HTML.findall(path.read_text(encoding="utf-8")))
        for path in PACKAGE.rglob("*.py"):
            keys |= set(IN_PYTHON.findall(path.read_text(encoding="utf-8")))
    return keys, patterns


def test_sentences_of_the_server_are_those_that_it_writes() -> None:
    source = " ".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")).lower()
    assert _sentences()
    for key, text in _sentences().items():
        for part in PLACEHOLDER.split(text.replace("You were ", "").replace("The record: ", ""))[::2]:
            assert part.strip(" .").lower() in source, key


ON_THE_PAGE = ["lobby", "page_tables", "people", "plans", "reviews", "room", "seats", "settings"]
ON_THE_PAGE += ["page_tournaments", "tournament_hall", "tournament_plans", "tournament_tables"]
FOR_OPERATORS = {"export", "files", "serving"}
SPEAKERS = [
    *(PACKAGE / f"house/{name}.py" for name in ON_THE_PAGE),
    *(path for path in sorted(PACKAGE.glob("web/*.py")) if path.stem not in FOR_OPERATORS),
]
"""The modules whose errors and goodbyes a page shows."""
NOT_ON_THE_PAGE = (
    "no seat is reserved for this code",
    "no seat is kept for this token",
    "no public table has an open seat",
    "the seat of this code is taken",
    "a message must be a",
    "the first message must be",
    "this is not a valid ",
    "it was an error of the server",
)
"""What only programs get, or a page that does not follow the protocol; and the reason in `server.stopped`."""
EXAMPLE = "removed by the operator"
"""Stands for any value in a text."""


class _Strings(ast.NodeVisitor):
    """The strings of a syntax tree that are raised or whole sentences, without docstrings."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self._is_raised = False

    def visit_Raise(self, node: ast.Raise) -> None:
        self._is_raised = True
        self.generic_visit(node)
        self._is_raised = False

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._add("".join(str(part.value) if isinstance(part, ast.Constant) else EXAMPLE for part in node.values))

    def visit_Constant(self, node: ast.Constant) -> None:
        self._add(str(node.value))

    def _add(self, text: str) -> None:
        if " " in text and (self._is_raised or re.fullmatch(r"[A-Z].*\.", text)):
            self.found.add(sentence(text))


@pytest.mark.parametrize("module", SPEAKERS, ids=lambda path: path.stem)
def test_page_can_translate_every_sentence_of_the_server(module: Path) -> None:
    patterns = [re.sub(r"\\\{\w+\\\}", ".+", re.escape(text)) for text in _sentences().values()]
    strings = _Strings()
    strings.visit(ast.parse(module.read_text(encoding="utf-8")))
    unknown = {
        text
        for text in strings.found
        if not any(re.fullmatch(pattern, text) for pattern in patterns) and not text.lower().startswith(NOT_ON_THE_PAGE)
    }
    assert unknown == set(), "add these to server.js and to the translations"


def _found(folder: Path, call: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return the keys, and the templates of keys, in the calls of a folder."""
    return [found for path in sorted(folder.rglob("*.js")) for found in call.findall(path.read_text(encoding="utf-8"))]


def test_sources_use_all_texts_and_no_others(folder: Path) -> None:
    keys, patterns = _used(folder)
    texts = _texts(folder, "en").keys()
    optional = {key for key, _ in _found(STATIC, FROM_GAME)}
    assert keys - texts <= optional, "used but not in the files"
    unused = {key for key in texts - keys if not any(re.fullmatch(pattern, key) for pattern in patterns)}
    assert unused == set(), "in the files but not used"


# Texts that are not in the files

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
COMMENT = re.compile(r"/\*.*?\*/|(?:^|(?<=\s))//[^\n]*", re.DOTALL | re.MULTILINE)
PROGRAMMING_ERROR = re.compile(r"new Error\([^\n]*")
ENGLISH = re.compile(r"[A-Z][a-z]+ [a-z]+|[a-z]+ [a-z]+[.!?…]|^[A-Z][a-z]{2,}[.!?…]?$|\b(?:the|your|of) ")
NO_TEXT = re.compile(
    r"[a-z]\w*(?:\.[\w-]+)+|xMidY\w+ \w+|English|Enter|Esc(?:ape)?|End|Home|Space|Tab|Arrow\w*|Page\w+"
)
"""Literals that look like English and are none: keys of texts and of the keyboard, values of attributes."""


def _literals(module: Path) -> list[str]:
    source = PROGRAMMING_ERROR.sub("", COMMENT.sub("", module.read_text(encoding="utf-8")))
    return [re.sub(r"\$\{[^}]*\}", "", quoted or template) for quoted, template in LITERAL.findall(source)]


def test_modules_contain_no_english_text(folder: Path) -> None:
    modules = [path for path in folder.rglob("*.js") if path.parent.name != "text"]
    assert modules
    found = [
        f"{module.relative_to(folder)}: {literal}"
        for module in sorted(modules)
        for literal in _literals(module)
        if ENGLISH.search(literal) and not NO_TEXT.fullmatch(literal)
    ]
    assert found == [], "move these into the files with texts"


@pytest.mark.parametrize("game", [kind.name for kind in registry.kinds() if kind.page and kind.page().manifest.text])
def test_rules_and_bots_of_a_game_have_words(game: str) -> None:
    kind = registry.game_kind(game)
    wanted = {"about", "turn.title", "turn.inline", "turn.count"}
    for profile in kind.profiles:
        wanted |= {f"profile.{profile}", f"profile.{profile}.text"}
    for option in options.describe(kind.profiles):
        wanted |= {f"option.{option.name}", f"option.{option.name}.text"}
        values = [value for value in option.choices or () if not value.isdigit() and value not in ("true", "false")]
        wanted |= {f"option.{option.name}.{value}" for value in values}
    wanted |= {f"bot.{name}" for name, bot in fallbacks.bots(kind).items() if not bot.human}
    texts = _texts(PACKAGE / "games" / game / "page", "pt")
    assert wanted - texts.keys() == set()
    named = {key for key in texts if key.startswith(("profile.", "option.", "bot."))}
    assert named - wanted == set(), "no longer a profile, an option or a bot"


@pytest.mark.parametrize("game", ["evolution", "porrinha"])
def test_chances_of_a_game_have_words(game: str) -> None:
    pytest.importorskip("numba", reason="the extra sim is not installed")
    kind = registry.game_kind(game)
    assert kind.analysis is not None
    subjects = {kind.analysis().chance_of(profile.rules) for profile in kind.profiles.values()}
    for language in LANGUAGES:
        texts = _texts(PACKAGE / "games" / game / "page", language)
        assert subjects <= {key.removeprefix("chance.") for key in texts if key.startswith("chance.")}

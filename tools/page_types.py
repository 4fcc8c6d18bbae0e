"""Write the types of the messages between server and page, for the page's JavaScript, from the server's structs.

Run it with ``python -m tools.page_types`` after a change in `wateringhole.house.page_messages` or
`wateringhole.house.from_page`.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import inspect as types

from wateringhole.house import from_page, page_messages

__all__ = ["TARGET", "page_types"]

TARGET = Path(__file__).parents[1] / "src/wateringhole/web/static/js/messages.js"

HEAD = """\
// @ts-check
/**
 * The messages between the server and the page of a table. This module contains only types. `python -m
 * tools.page_types` generates it from the structs in `house/page_messages.py` and `house/from_page.py`.
 */

export {};
"""

UNIONS = {
    "ServerMessage": page_messages.ServerMessage,
    "CoachMessage": page_messages.CoachMessage,
    "PageMessage": from_page.PageMessage,
}
"""The messages to the page about the table, and those of the coach; and the messages from the page."""

SIMPLE = {
    types.AnyType: "any",
    types.BoolType: "boolean",
    types.FloatType: "number",
    types.IntType: "number",
    types.NoneType: "null",
    types.StrType: "string",
}


def page_types() -> str:
    """Return the source of the JavaScript module with the types."""
    found: dict[str, type[msgspec.Struct]] = {"PageHello": from_page.PageHello}
    unions = []
    for name, union in UNIONS.items():
        messages = get_args(union)
        for message in messages:
            _collect(types.type_info(message), found)
        unions.append(f"/** @typedef {{{' | '.join(message.__name__ for message in messages)}}} {name} */\n")
    return "\n".join([HEAD, *(_typedef(struct) for struct in found.values()), *unions])


def _collect(kind: types.Type, found: dict[str, type[msgspec.Struct]]) -> None:
    """Add the structs that a type contains, each after those that it contains itself."""
    if isinstance(kind, types.StructType):
        for field in kind.fields:
            _collect(field.type, found)
        found.setdefault(kind.cls.__name__, kind.cls)
    elif isinstance(kind, types.ListType):
        _collect(kind.item_type, found)
    elif isinstance(kind, types.UnionType):
        for each in kind.types:
            _collect(each, found)


def _typedef(struct: type[msgspec.Struct]) -> str:
    kind = types.type_info(struct)
    assert isinstance(kind, types.StructType)
    docs = _field_docs(struct)
    lines = [inspect.cleandoc(struct.__doc__ or "").partition("\n")[0], f"@typedef {{object}} {struct.__name__}"]
    if kind.tag is not None:
        lines.append(f'@property {{"{kind.tag}"}} {kind.tag_field}')
    left_out = _left_out(kind)
    for field in kind.fields:
        name = f"[{field.encode_name}]" if field.name in left_out else field.encode_name
        lines.append(f"@property {{{_name(field.type)}}} {name} {docs.get(field.name, '')}".rstrip())
    return "/**\n" + "".join(f" * {line}\n" for line in lines) + " */\n"


def _left_out(kind: types.StructType) -> set[str]:
    """Return the fields that a message need not have.  The page may omit defaults, while the server sends them."""
    if kind.cls.__module__ == from_page.__name__:
        return {field.name for field in kind.fields if not field.required and not _is_always_sent(field.type)}
    return {field.name for field in msgspec.structs.fields(kind.cls) if field.default is msgspec.UNSET}


def _is_always_sent(kind: types.Type) -> bool:
    return isinstance(kind, types.Metadata) and (kind.extra or {}).get("required", False)


def _field_docs(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Return the first line of the docstring under each field."""
    (definition,) = ast.parse(inspect.getsource(struct)).body
    assert isinstance(definition, ast.ClassDef)
    docs = {}
    for field, after in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            docs[field.target.id] = ast.literal_eval(after.value).partition("\n")[0]
    return docs


def _name(kind: Any) -> str:
    """Return a type as JSDoc writes it."""
    if isinstance(kind, types.Metadata):
        return str((kind.extra or {})["type"])
    if isinstance(kind, types.UnionType):
        return " | ".join(_name(each) for each in kind.types)
    if isinstance(kind, types.ListType):
        inner = _name(kind.item_type)
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if isinstance(kind, types.TupleType):
        return f"[{', '.join(_name(each) for each in kind.item_types)}]"
    if isinstance(kind, types.DictType):
        return f"Record<{_name(kind.key_type)}, {_name(kind.value_type)}>"
    if isinstance(kind, types.LiteralType):
        return " | ".join(f'"{value}"' for value in kind.values)
    if isinstance(kind, types.StructType):
        return kind.cls.__name__
    return SIMPLE[type(kind)]


if __name__ == "__main__":
    TARGET.write_text(page_types(), encoding="utf-8")
    print(f"wrote {TARGET.name}")

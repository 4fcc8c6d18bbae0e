"""Write the types of the messages to the page, for its JavaScript, from the server's structs.

Run it with ``python -m tools.page_types`` after a change in `wateringhole.house.page_messages`.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import inspect as types

from wateringhole.house import page_messages

__all__ = ["TARGET", "page_types"]

TARGET = Path(__file__).parents[1] / "src/wateringhole/web/static/js/messages.js"

HEAD = """\
// @ts-check
/**
 * The messages from the server to the page of a table. This module contains only types. `python -m tools.page_types`
 * generates it from the structs in `house/page_messages.py`.
 */

export {};
"""

UNIONS = ("ServerMessage", "CoachMessage")
"""The messages about the table, and those of the coach."""

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
    found: dict[str, type[msgspec.Struct]] = {}
    unions = []
    for name in UNIONS:
        messages = get_args(getattr(page_messages, name))
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
    left_out = {field.name for field in msgspec.structs.fields(struct) if field.default is msgspec.UNSET}
    lines = [inspect.cleandoc(struct.__doc__ or "").partition("\n")[0], f"@typedef {{object}} {struct.__name__}"]
    if kind.tag is not None:
        lines.append(f'@property {{"{kind.tag}"}} {kind.tag_field}')
    for field in kind.fields:
        name = f"[{field.encode_name}]" if field.name in left_out else field.encode_name
        lines.append(f"@property {{{_name(field.type)}}} {name} {docs.get(field.name, '')}".rstrip())
    return "/**\n" + "".join(f" * {line}\n" for line in lines) + " */\n"


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

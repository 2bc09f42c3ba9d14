# SPDX-License-Identifier: GPL-2.0-only
"""The Python modules of a beginning port: classes whose members refuse, from the abstract classes that declare them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence

from emu.port import declarations

__all__ = ["import_lines", "stub_class"]

_SELF = {"self", "cls"}
_WIDTH = 130


def stub_class(
    arch: str, name: str, of: str, values: Mapping[str, str], bodies: Mapping[str, str], imports: set[str]
) -> str:
    """A class `name` derived from the abstract class `of`, with all that this demands.

    Args:
        arch: the port's name.
        of: "emu.cpu.arch.CpuArch".
        values: expressions of attributes that are known.
        bodies: statements of methods that are known.
        imports: gets the full names of what the class's text needs.
    """
    module, _, base = of.rpartition(".")
    imports.add(of)
    attributes, methods = [], []
    for member in declarations.abstract_members(of):
        names = _names(member.node)
        imports |= {member.imported.get(word, f"{member.module}.{word}") for word in names if word not in vars(builtins)}
        part = f"{base}.{member.name}"
        if isinstance(member.node, ast.FunctionDef):
            imports |= {"emu.port.stub.NotWritten"} if member.name not in bodies else set()
            methods.append(_method(member.node, bodies.get(member.name, f'raise NotWritten("{arch}", "{part}")')))
        else:
            kind = ast.unparse(member.node.annotation).replace("'", '"')
            value = values.get(member.name)
            if value is None:
                imports |= {"typing.cast", "emu.port.stub.Value"}
                inner = kind.removeprefix("ClassVar[").removesuffix("]") if kind.startswith("ClassVar[") else kind
                value = f'cast({_quoted(inner)}, Value("{arch}", "{part}"))'
            attributes.append(_broken(f"    {member.name}: {kind} = ", value))
    imports.discard(f"{module}.{name}")
    return f"class {name}({base}):\n" + "\n".join(attributes) + ("\n\n" if attributes else "") + "\n\n".join(methods) + "\n"


def _broken(before: str, value: str) -> str:
    """An assignment, with a long tuple on a line of its own."""
    line = before + value
    return line if len(line) <= _WIDTH or value[0] != "(" else f"{before}(\n        {value[1:-1]},\n    )"


def _quoted(kind: str) -> str:
    return '"' + kind.replace('"', "'") + '"'


def _names(node: ast.FunctionDef | ast.AnnAssign) -> set[str]:
    """The names in annotations and defaults."""
    if isinstance(node, ast.AnnAssign):
        inside: Iterable[ast.AST] = [node.annotation]
    else:
        every = [*node.args.args, *node.args.kwonlyargs]
        inside = [one.annotation for one in every if one.annotation] + ([node.returns] if node.returns else [])
    return {word.id for part in inside for word in ast.walk(part) if isinstance(word, ast.Name)} - _SELF


def _method(node: ast.FunctionDef, body: str) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    decorators = [f"    @{ast.unparse(one)}\n" for one in node.decorator_list if ast.unparse(one) != "abstractmethod"]
    head = f"    def {node.name}({_arguments(node.args)}){returns}:"
    return "".join(decorators) + head + "\n" + "\n".join(f"        {line}".rstrip() for line in body.splitlines())


def _arguments(found: ast.arguments) -> str:
    return ast.unparse(found).replace("=", " = ") if found.defaults or found.kw_defaults else ast.unparse(found)


def import_lines(names: Iterable[str]) -> str:
    """Import statements for full names, in ruff's order: a module is imported as a whole if no part of its name begins with a
    capital and it is one of the first-level modules, all else from its module.
    """
    whole: set[str] = set()
    parts: dict[str, set[str]] = {}
    for name in names:
        module, _, member = name.rpartition(".")
        if not module:
            whole.add(member)
        else:
            parts.setdefault(module, set()).add(member)
    groups: list[tuple[Sequence[str], Mapping[str, set[str]]]] = []
    for ours, third in ((False, False), (False, True), (True, False)):

        def fits(module: str, ours: bool = ours, third: bool = third) -> bool:
            top = module.split()[0].partition(".")[0]
            return (top == "emu") == ours and (top in _THIRD_PARTY) == third

        groups.append((sorted(filter(fits, whole)), {module: parts[module] for module in sorted(parts) if fits(module)}))
    texts = []
    for modules, members in groups:
        lines = [f"import {module}" for module in modules]
        lines += [f"from {module} import {', '.join(sorted(names, key=_order))}" for module, names in members.items()]
        if lines:
            texts.append("\n".join(lines))
    return "\n\n".join(texts)


_THIRD_PARTY = {"capstone", "keystone", "numpy", "unicorn"}


def _order(name: str) -> tuple[int, str]:
    """isort's: constants, classes, the rest."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name

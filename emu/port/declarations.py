# SPDX-License-Identifier: GPL-2.0-only
"""Declarations and descriptions of what ports provide, read from the source."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from emu.architectures import ARCHITECTURES
from emu.installation import firmware_directory

__all__ = ["Member", "abstract_members", "defined_functions", "function", "in_c", "members"]

_ROOT = Path(__file__).resolve().parent.parent.parent  # of the package's folder


# Python


@functools.cache
def _tree(path: str) -> tuple[ast.Module, list[str]]:
    text = (_ROOT / path).read_text()
    return ast.parse(text), text.splitlines()


def _module_file(module: str) -> str:
    """The file of a module of the package, without importing it."""
    base = module.replace(".", "/")
    return f"{base}.py" if (_ROOT / f"{base}.py").is_file() else f"{base}/__init__.py"


@functools.cache
def members(of: str) -> Mapping[str, tuple[str, str]]:
    """The declaration and the description of each member of a class of the package and of its bases: "emu.cpu.arch.CpuArch"."""
    module, _, name = of.rpartition(".")
    tree, lines = _tree(_module_file(module))
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    imported = _imports(tree)
    out: dict[str, tuple[str, str]] = {}
    for base in found.bases:
        if isinstance(base, ast.Name) and imported.get(base.id, "").startswith("emu."):
            out |= members(imported[base.id])
    return out | dict(_members(found, lines))


class Member(NamedTuple):
    """What a class demands of those that derive from it."""

    name: str
    node: ast.FunctionDef | ast.AnnAssign
    module: str  # of the class that declares it
    imported: Mapping[str, str]  # that module's imports: full names


def abstract_members(of: str) -> Sequence[Member]:
    """The abstract methods of a class of the package and its attributes without a value, also those of its bases there."""
    module, _, name = of.rpartition(".")
    tree, _ = _tree(_module_file(module))
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    imported = _imports(tree)
    out: list[Member] = []
    for base in found.bases:
        if isinstance(base, ast.Name) and imported.get(base.id, "").startswith("emu."):
            out += abstract_members(imported[base.id])
    for node in found.body:
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(one) == "abstractmethod" for one in node.decorator_list):
            out.append(Member(node.name, node, module, imported))
        elif isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
            out.append(Member(node.target.id, node, module, imported))
    return out


def _imports(tree: ast.Module) -> Mapping[str, str]:
    """The full names of what a module imports, also for type checkers alone; with " as NAME" if it has another name there."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.ImportFrom | ast.Import) else ():
            full = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            found[alias.asname or alias.name] = f"{full} as {alias.asname}" if alias.asname else full
    return found


def _members(found: ast.ClassDef, lines: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    listed = _listed_attributes(ast.get_docstring(found) or "")
    for node, following in zip(found.body, [*found.body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef):
            yield node.name, (_signature(node), ast.get_docstring(node) or "")
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            said = listed.get(name) or _comment(lines[(node.end_lineno or node.lineno) - 1])
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                said = inspect.cleandoc(str(following.value.value))
            yield name, (f"{name}: {ast.unparse(node.annotation)}", said)


def _comment(line: str) -> str:
    """The comment at the end of a line without strings, as a sentence."""
    return _sentence(line.partition("  # ")[2])


def _sentence(said: str) -> str:
    return said and f"{said[0].upper()}{said[1:].removesuffix('.')}."


def _listed_attributes(docstring: str) -> Mapping[str, str]:
    """What a docstring's "Attributes:" says of each."""
    _, _, listed = docstring.partition("Attributes:\n")
    found = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
    return {name: _sentence(" ".join(said.split())) for name, said in found}


def _signature(node: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({ast.unparse(node.args)}){returns}"


@functools.cache
def defined_functions(path: str) -> Mapping[str, str]:
    """The functions of a file, also those that others contain: the signature of each."""
    return {node.name: _signature(node) for node in ast.walk(_tree(path)[0]) if isinstance(node, ast.FunctionDef)}


def function(place: str, name: str) -> str:
    """The shortest signature that a function of a file has in a port; "" if the name is not a function's."""
    paths = (place.replace("ARCH", arch) for arch in ARCHITECTURES)
    signatures = [defined_functions(path).get(name, "") for path in paths if (_ROOT / path).is_file()]
    return min(filter(None, signatures), key=len, default="")


# C


_TYPE = r"(?:\w+[ \t*]+)+?\**"
_REST = r"(?:\([^;{}]*?\)|\[[^;]*\])"


@functools.cache
def _headers(folder: str) -> str:
    """The headers in a folder of the firmware, without comments and preprocessor lines, functions' types beside their names."""
    text = "".join(path.read_text() for path in sorted((firmware_directory() / folder).rglob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).replace("\\\n", "")
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^(static [^\n;(]*)\n(?=\w+\()", r"\1 ", text, flags=re.MULTILINE)


def in_c(place: str, name: str) -> str:
    """The prototype of a function or the type of an object, from the headers of the kernel or of a port; "" if there is none, or
    there are no headers here.
    """
    if not name.isidentifier():
        return ""
    own = place.removeprefix("firmware/").rpartition("ARCH")[0] + "ARCH"
    folders = ["include", "user/libc", *(own.replace("ARCH", arch) for arch in ARCHITECTURES)]
    pattern = re.compile(rf"^(?:extern )?({_TYPE}{name}{_REST})[\s\w]*[;{{]", re.MULTILINE)
    texts = (_headers(folder) for folder in folders)
    found = next(filter(None, (pattern.search(_around(text, name)) for text in texts)), None)
    return re.sub(r"\b(?:static|inline|__always_inline) ", "", " ".join(found[1].split())) if found else ""


def _around(text: str, name: str) -> str:
    """The parts of a text with a name before a parenthesis: a search for its prototype needs to look through no others."""
    parts = []
    for opening in (f"{name}(", f"{name}["):
        at = text.find(opening)
        while at >= 0:
            ends = [end for end in (text.find(";", at), text.find("{", at)) if end >= 0]
            parts.append(text[text.rfind("\n", 0, at) + 1 : min(ends, default=at) + 1])
            at = text.find(opening, at + 1)
    return "\n".join(parts)

# SPDX-License-Identifier: GPL-2.0-only
"""The functions of a port, and the same files with one of them emptied."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from emu.port import seam

__all__ = ["EXEMPT", "Groups", "PortFunction", "functions_of"]

EXEMPT = Path(__file__).resolve().parent / "exempt.toml"
"""Functions whose lack no check of the ladder can see: for each architecture, reasons by "FILE NAME"."""

_LABEL = re.compile(
    r"^SYM_FUNC_START\((?P<name>\w+)\).*\n|^(?P<plain>[A-Za-z_]\w*):[ \t]*\n(?!\s*\.(?:asciz|string|quad|word|skip|xword))",
    re.MULTILINE,
)
_QUALIFIERS = {"static", "inline", "__always_inline", "noinline", "noinstr", "notrace", "asmlinkage", "__init"}
_NUMBERS = {"u64", "i64", "u32", "i32", "int"}


@dataclass(frozen=True)
class PortFunction:
    """One function of a port.

    Attributes:
        path: its file, relative to the root.
        name: as the file has it; of a method or an inner function, the last part.
        line: where it begins.
        text: the whole file with this function emptied.
    """

    path: str
    name: str
    line: int
    text: str

    @property
    def in_guest(self) -> bool:
        """Whether the images are built from it."""
        return self.path.startswith("firmware/")

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.name}"


def functions_of(root: Path, arch: str) -> list[PortFunction]:
    """All functions of a port, on the host and in the guest, in the order of their files."""
    listed = subprocess.run(["git", "ls-files", "emu", "firmware"], cwd=root, capture_output=True, text=True, check=True)
    found: list[PortFunction] = []
    for path in listed.stdout.splitlines():
        if _is_of_port(path, arch):
            text = (root / path).read_text()
            readers = {".py": _python, ".c": _c, ".h": _c, ".S": _assembly}
            if reader := readers.get(Path(path).suffix):
                found += [PortFunction(path, name, line, emptied) for name, line, emptied in reader(text, arch)
                    if emptied != text]
    return found


def _is_of_port(path: str, arch: str) -> bool:
    parts = path.split("/")
    if parts[0] == "firmware":
        return path.startswith((f"firmware/arch/{arch}/", f"firmware/user/arch/{arch}/"))
    return parts[1] != "port" and any(parts[n] == "arch" and parts[n + 1].startswith(arch) for n in range(len(parts) - 1))


def _python(text: str, arch: str) -> Iterator[tuple[str, int, str]]:
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno > node.lineno and not _says_nothing(node):
            first, last = node.body[0], node.body[-1]
            result = ast.unparse(node.returns) if node.returns else "None"
            value = "False" if result == "bool" else "0" if result in _NUMBERS else "None"
            body = "return; yield" if result.startswith("Iterator") else f"return {value}".removesuffix(" None")
            indent = " " * first.col_offset
            new = [*lines[: first.lineno - 1], f"{indent}{body}\n", *lines[last.end_lineno :]]
            yield node.name, node.lineno, "".join(new)


def _says_nothing(node: ast.FunctionDef) -> bool:
    """Whether the function is empty as it is."""
    body = [line for line in node.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
    if not body or all(isinstance(line, ast.Pass) for line in body):
        return True
    only = body[0]
    return isinstance(only, ast.Return) and (
        only.value is None or (isinstance(only.value, ast.Constant) and only.value.value in (None, 0, False))
    )


def _c(text: str, arch: str) -> Iterator[tuple[str, int, str]]:
    """Functions begin with a line `{` and end with a line `}`, as the kernel's style has it."""
    lines = text.splitlines(keepends=True)
    for begin, line in enumerate(lines):
        if line != "{\n":
            continue
        end = next(n for n in range(begin, len(lines)) if lines[n].startswith("}"))
        first = begin
        while first and lines[first - 1].strip() and not lines[first - 1].startswith(("#", "}", " *", "/*")):
            first -= 1
        head = "".join(lines[first:begin])
        named = re.search(r"\b(\w+)\s*\(", head)
        if named is None:
            continue
        returns = head[: named.start()]
        words = set(re.findall(r"\w+", returns)) - _QUALIFIERS
        nothing = not words or (words == {"void"} and "*" not in returns)
        if "".join(lines[begin + 1 : end]).strip() not in ("", "return 0;", "return NULL;", "return false;"):
            body = [] if nothing else ["\treturn 0;\n"]
            yield _named(named[1], head), first + 1, "".join([*lines[: begin + 1], *body, *lines[end:]])


def _named(name: str, head: str) -> str:
    """The function that a macro defines: of DEFINE_IRQ_ENTRY(timer_interrupt), the name in it."""
    inner = re.search(r"^\w*DEFINE\w*\((\w+)", head)
    return inner[1] if inner else name


def _assembly(text: str, arch: str) -> Iterator[tuple[str, int, str]]:
    for found in _LABEL.finditer(text):
        name = found["name"] or found["plain"]
        line = text.count("\n", 0, found.start()) + 1
        if found["name"] or f".globl\t{name}" in text:
            yield name, line, text[: found.end()] + "\tASM_RET\n" + text[found.end() :]


class Groups:
    """Which files of a port serve which others."""

    def of_seam(self, path: str) -> bool:
        """Whether a part of the port is in a file, or is served by it. Other files are of an unmodified Linux alone."""
        places = {part.in_port(self._arch) for part in seam.parts()}
        return not path.startswith("emu/") or path in places or any(self.serves(path, place) for place in places)

    def __init__(self, root: Path, arch: str) -> None:
        self._root, self._arch = root, arch
        self._sections = _sections(root / "docs/architecture-seam.md")

    def serves(self, path: str, place: str) -> bool:
        """Whether the file `path` serves the parts in the file `place`."""
        if path.endswith(".py") and path.startswith("emu/"):
            return place.endswith(".py") and path in self._imported(place)
        return bool(self._of(path) & self._of(place))

    @functools.cache  # noqa: B019  # there is one object
    def _imported(self, place: str) -> set[str]:
        """The port's files that a file of it imports, directly or not."""
        if not (self._root / place).is_file():
            return set()
        found: set[str] = set()
        for module in re.findall(rf"\b(emu(?:\.\w+)*\.arch(?:\.\w+)*|{self._arch}\w*)\b", (self._root / place).read_text()):
            for path in self._files(place, module):
                if path != place and path not in found:
                    found |= {path} | (self._imported(path) if path > place or path.count("/") > place.count("/") else set())
        return found

    def _files(self, place: str, module: str) -> Iterator[str]:
        folder = Path(place).parent
        bases = [Path(module.replace(".", "/")), folder / module]
        names = re.findall(rf"from {re.escape(module)} import \(?([\w, \n]+)", (self._root / place).read_text())
        inner = [word.strip() for group in names for word in group.split(",") if word.strip()]
        for base in [*bases, *(base / name for base in bases for name in inner)]:
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                if (self._root / path).is_file() and self._arch in path.as_posix():
                    yield path.as_posix()

    def _of(self, path: str) -> frozenset[str]:
        parents = [path, *(parent.as_posix() for parent in Path(path).parents)]
        return frozenset().union(*(self._sections.get(parent, frozenset()) for parent in parents))


def _sections(document: Path) -> dict[str, frozenset[str]]:
    """The sections of the document that link to a file or a folder."""
    text = re.split(r"^## Tests", document.read_text(), flags=re.MULTILINE)[0]
    targets = dict(re.findall(r"^\[([^]]+)\]: \.\./(\S+)", document.read_text(), re.MULTILINE))
    found: dict[str, frozenset[str]] = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        for name in re.findall(r"\[([^]]+)\]", section):
            if name in targets:
                found[targets[name]] = found.get(targets[name], frozenset()) | {title}
    return found

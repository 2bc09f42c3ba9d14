# SPDX-License-Identifier: GPL-2.0-only
"""The functions of a port, and the same files with one of them emptied."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PortFunction", "functions_of"]

_C = re.compile(
    r"^(?P<head>(?!typedef|struct|union|enum|extern|#)[A-Za-z_][^;{}#=]*?\b(?P<name>[A-Za-z_]\w*)\s*\([^;{}]*\)[^;{}=]*)\n\{(?P<body>.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
_LABEL = re.compile(r"^SYM_FUNC_START\((?P<name>\w+)\).*\n|^(?P<plain>[A-Za-z_]\w*):[ \t]*\n(?!\s*\.(?:asciz|string|quad|word|skip|xword))", re.MULTILINE)
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
                found += [PortFunction(path, name, line, emptied) for name, line, emptied in reader(text, arch) if emptied != text]
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
    for found in _C.finditer(text):
        head = found["head"]
        returns = head[: head.index(found["name"])]
        words = set(re.findall(r"\w+", returns))
        pointer = "*" in returns
        nothing = ("void" in words and not pointer) or not words - {"static", "inline", "__always_inline", "noinline", "asmlinkage"}
        body = "\n" if nothing or found["name"].startswith("DEFINE") else "\n\treturn 0;\n"
        if found["body"].strip() not in ("", "return 0;", "return NULL;", "return false;"):
            line = text.count("\n", 0, found.start("name")) + 1
            yield _named(found["name"], head), line, text[: found.start("body")] + body + text[found.end("body") :]


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

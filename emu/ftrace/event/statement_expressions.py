# SPDX-License-Identifier: GPL-2.0-only
"""GNU C's statement expressions, as far as print fmts have them: the kernel's min() and max().

    ({ int x = (REC->nents); int y = (128); ((x) < (y) ? (x) : (y)); })
"""

from __future__ import annotations

import re

from emu.ftrace.event.c_expressions import PrintFmtError

__all__ = ["without_statements"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\(\s*\{|\}\s*\)|;')
_DECLARATION = re.compile(r"\s*[\w\s]+?[\s*]\s*(\w+)\s*=\s*(.+)", re.DOTALL)
_LONGEST = 1 << 20  # characters


def without_statements(text: str) -> str:
    """The text with an expression in place of each of them.

    Raises:
        PrintFmtError: one has statements other than declarations with values.
    """
    if "({" not in text.replace(" ", ""):
        return text
    pieces: list[list[str]] = [[""]]  # the statements of each that is not closed yet; the first is the text itself
    end = 0
    for found in _TOKEN.finditer(text):
        pieces[-1][-1] += text[end : found.start()]
        end = found.end()
        token = found[0]
        if token.startswith("("):
            pieces.append([""])
        elif token == ";" and len(pieces) > 1:
            pieces[-1].append("")
        elif token.startswith("}") and len(pieces) > 1:
            inner = _expression(pieces.pop())
            pieces[-1][-1] += inner
        else:
            pieces[-1][-1] += token
    if len(pieces) > 1:
        raise PrintFmtError("a statement expression has no end")
    return pieces[0][0] + text[end:]


def _expression(statements: list[str]) -> str:
    *declarations, value, rest = statements if len(statements) > 1 else ["", *statements, "x"]
    if rest.strip():
        raise PrintFmtError("a statement expression has no value")
    for number, declaration in enumerate(declarations):
        found = _DECLARATION.fullmatch(declaration)
        if found is None:
            raise PrintFmtError("a statement expression is more than declarations and a value")
        name, given = re.compile(rf"\b{found[1]}\b"), f"({found[2]})".replace("\\", r"\\")
        declarations[number + 1 :] = [name.sub(given, later) for later in declarations[number + 1 :]]
        value = name.sub(given, value)
        if len(value) > _LONGEST:
            raise PrintFmtError("a statement expression is too long")
    return f"({value})"

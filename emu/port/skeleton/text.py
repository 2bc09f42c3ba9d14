# SPDX-License-Identifier: GPL-2.0-only
"""Fills in the templates of a port's files: values, and stubs of functions in C and assembly.

    @name@                      a value
    @stub NAME@                 a function that says what it has to do and ends the machine
    @stub NAME DECLARATION@     the same where the ports have a macro
    @comment NAME@              what an optional part or one with a name of its own has to do
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from emu.port import seam
from emu.port.finished import where
from emu.port.seam import Part

__all__ = ["filled"]

_WIDTH = 76
_STUB = re.compile(r"^@(stub|comment) (struct \w+|[\w ]+?)(?: ((?:\w+[ *]+)+\w+\(.*\)))?@$", re.MULTILINE)


def filled(template: str, place: str, arch: str, values: Mapping[str, str]) -> str:
    """The text of a file, which is at `place` in the port (ARCH standing for its name).

    Raises:
        LookupError: a template names something that is not there.
    """
    by_name = {part.name: part for part in seam.parts()}

    def stub(found: re.Match[str]) -> str:
        part = by_name[found[2]]
        comment = _comment(part, arch)
        if found[1] == "comment":
            return comment
        if place.endswith(".S"):
            return f"{comment}\n{_in_assembly(part, place, values)}"
        return f"{comment}\n{_in_c(part, place, arch, found[3] or part.declaration)}"

    return re.sub(r"@(\w+)@", lambda found: values[found[1]], _STUB.sub(stub, template))


def _comment(part: Part, arch: str) -> str:
    said = f"{part.name}: {part.what} ({part.section}.)"
    if part.optional:
        said = f"{said} Not written; without it, a fallback refuses or is slow."
    places = ", ".join(place.partition(":")[0] for place in where(part, but=arch))
    declared = [f"{part.declaration};"] if part.declaration and part.optional else []
    paragraphs = [said, *declared, f"See {places or 'nowhere yet'}."]
    lines = [line for text in paragraphs for line in textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)]
    return "/*\n" + "\n".join(f" * {line}" for line in lines) + "\n */"


def _in_c(part: Part, place: str, arch: str, declaration: str) -> str:
    if not declaration:
        raise LookupError(f"{part.name} has no declaration")
    if place.startswith("firmware/arch/"):
        text = f'{part.name} is not written: {part.what} docs/architecture-seam.md, "{part.section}"; {part.in_port(arch)}'
        lines = [line.replace('"', '\\"') for line in textwrap.wrap(text, 52, break_long_words=False, drop_whitespace=False)]
        body = "\tport_stub(" + "\n\t\t  ".join(f'"{line}"' for line in lines) + ");"
    else:  # in programs
        parameters = re.sub(r"\(\*(\w+)\)\([^()]*\)", r"\1", declaration[declaration.index("(") + 1 :])
        names = re.findall(r"(\w+)(?:\[\w*\])?(?=[,)])", parameters)
        body = "\n".join([*(f"\t(void){name};" for name in names if name != "void"), "\t__builtin_trap();"])
    prefix = "static inline " if place.endswith(".h") else ""
    return f"{_wrapped(prefix + declaration)}\n{{\n{body}\n}}"


def _wrapped(declaration: str) -> str:
    """A declaration in lines of 80 columns, which end behind a parameter and are indented as far as the parenthesis."""
    indent = declaration.index("(") + 1
    if indent > 50:
        indent = 8
    first, *others = re.split(r"(?<=,) (?![^()]*\(\*)", declaration)
    lines = [first]
    for parameter in others:
        if len(lines[-1]) + len(parameter) < 80:
            lines[-1] += f" {parameter}"
        else:
            lines.append(" " * indent + parameter)
    return "\n".join(re.sub("^ +", lambda found: "\t" * (len(found[0]) // 8) + " " * (len(found[0]) % 8), line) for line in lines)


def _in_assembly(part: Part, place: str, values: Mapping[str, str]) -> str:
    if "include <linux/linkage.h>" in values["file"]:
        return f"SYM_FUNC_START({part.name})\n\t{values['stub']}\nSYM_FUNC_END({part.name})"
    name = part.name
    return f"\t.globl\t{name}\n\t.type\t{name}, %function\n{name}:\n\t{values['trap']}\n\t.size\t{name}, . - {name}"

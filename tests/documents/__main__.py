# SPDX-License-Identifier: GPL-2.0-only
"""python -m tests.documents: writes docs/documents.md, which says of each example of the documents whether it works."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from emu.tour import DOCUMENTS, Document, Example, NotHere, Section

PATH = Path(__file__).resolve().parents[2] / "docs/documents.md"
COLUMNS = 120

INTRODUCTION = """\
# The documents' examples

Each example of the documents that ftrace is known by, and whether it runs here as it is written. `emu tour` explains
them, types them and shows what they print: `emu tour ftrace irqsoff`. What is not said to differ works, on both
architectures; `tests/documents` types all of them, and compares what they print with what their section says to see.
The sections are files below `emu/tour/documents`. `./venv python -m tests.documents` writes this page from them.
"""


def page() -> str:
    return "\n".join([INTRODUCTION, *map(_document, DOCUMENTS)])


def _document(document: Document) -> str:
    return "\n".join([f"## {document.title}\n", *(_section(document, section) for section in document.sections)])


def _section(document: Document, section: Section) -> str:
    machine = "".join(f" {name}={value}" for name, value in section.machine.items())
    lines = [f"### {section.title}\n\n`emu tour {document.name} {section.name}`{machine and f', on a machine with{machine}'}\n"]
    lines += [_item(text) for text in _verdicts(section)]
    return "\n".join(lines) + "\n"


def _verdicts(section: Section) -> Iterator[str]:
    for part in section.parts:
        if isinstance(part, NotHere):
            yield f"{_code(part.what)}: not here: {part.why}"
        elif isinstance(part, Example):
            yield f"{_commands(part)}: {_verdict(part)}"


def _commands(example: Example) -> str:
    first, others = example.commands[0].lines[0], len(example.commands) - 1
    return _code(first) + (f" and {others} more" if others else "")


def _verdict(example: Example) -> str:
    where = f"only on {example.arch}: {example.why}" if example.arch else "works"
    return f"{where}; differs: {example.differs}" if example.differs else where


def _code(text: str) -> str:
    """In backquotes, as many as it needs."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _item(text: str) -> str:
    return textwrap.fill(
        text, COLUMNS, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


if __name__ == "__main__":
    PATH.write_text(page())

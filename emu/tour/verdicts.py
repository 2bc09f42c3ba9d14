# SPDX-License-Identifier: GPL-2.0-only
"""For each example of the documents, whether it works here as written."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from emu.tour.document import Document
from emu.tour.section import Example, NotHere, Section

__all__ = ["verdicts"]

COLUMNS = 120


def verdicts(chosen: Iterable[tuple[Document, Iterable[Section]]]) -> str:
    """Sections of documents, as a page of Markdown."""
    texts = (f"## {document.title}\n\n" + "\n".join(_section(document, one) for one in sections) for document, sections in chosen)
    return "\n".join(texts)


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
    """Text in backquotes, as many as necessary."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _item(text: str) -> str:
    return textwrap.fill(
        text, COLUMNS, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )

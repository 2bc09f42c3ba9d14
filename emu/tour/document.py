# SPDX-License-Identifier: GPL-2.0-only
"""The documents, and their sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from emu.ftrace.errors import did_you_mean
from emu.tour.section import Section, parse_section

__all__ = ["DOCUMENTS", "Document", "document"]

_FOLDER = Path(__file__).parent / "documents"


@dataclass(frozen=True)
class Document:
    """A document about ftrace: its short name, and its title."""

    name: str
    title: str

    @cached_property
    def sections(self) -> Sequence[Section]:
        """In the document's order, which is that of the numbers at the start of file names."""
        files = sorted((_FOLDER / self.name).glob("*.txt"))
        return [parse_section(file.stem.partition("-")[2], file.read_text()) for file in files]

    def section(self, name: str) -> Section:
        """Raises KeyError if no section has that name; its text lists the names."""
        for section in self.sections:
            if section.name == name:
                return section
        names = [section.name for section in self.sections]
        raise KeyError(f"{self.name} has no section '{name}': it has {', '.join(names)}{did_you_mean(name, names)}")


DOCUMENTS = (
    Document("ftrace", "ftrace.txt: ftrace - Function Tracer, by Steven Rostedt"),
    Document("function-graph", "Function Graph Tracing, by Tim Bird"),
    Document("ftrace-5.12", "ftrace.rst and events.rst of Linux 5.12, as a guide in Chinese tells them"),
    Document("return-tracing", "Make ftrace able to trace function return, by Frederic Weisbecker"),
    Document("sparc64", "Function graph tracer on sparc64, by David S. Miller"),
)


def document(name: str) -> Document:
    """Raises KeyError if no document has that name; its text lists the names."""
    for one in DOCUMENTS:
        if one.name == name:
            return one
    names = [one.name for one in DOCUMENTS]
    raise KeyError(f"there is no document '{name}': there are {', '.join(names)}{did_you_mean(name, names)}")

# SPDX-License-Identifier: GPL-2.0-only
"""A section of a document: its subject, and its examples.

A section's file begins with its title, and with the fields of its MachineConfig that are not the usual ones:

    # Instances
    machine: cpus=4 command_line=trace_event=sched

Paragraphs follow. Lines indented by four are an example, typed into the guest's shell in the tracing directory:

    $ echo 'a command' |
    > cat                       continues the previous line
    ...                         the command's output; "..." stands for anything
    <columns of events>         the head of Linux's columns, which is in columns/events.txt
    $ cat trace_pipe
    ^C                          typed when there is no more output

A paragraph about the preceding example can begin with `Differs:`, and says how it differs from the document; or with
`Only on ARCH:`. A paragraph with `Not here:` has a part of the document that is not typed, in backquotes, and why.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

__all__ = ["BadSection", "Command", "Example", "NotHere", "Section", "parse_section"]

_FOLDER = Path(__file__).parent / "columns"
_INDENT = " " * 4
_PROMPT, _CONTINUED, _INTERRUPTED = "$ ", "> ", "^C"
_NOTE = re.compile(r"(Differs|Only on (\w+)|Not here): ")
_NOT_HERE = re.compile(r"Not here: `(.*?)`: (.*)")
_COLUMNS = re.compile(r"<columns of (\w+)>")


class BadSection(ValueError):
    """A section's file has errors."""


@dataclass(frozen=True)
class Command:
    """The input at one prompt.

    Attributes:
        lines: typed one after another.
        shown: its output; "..." stands for anything.
        interrupted: whether Ctrl-C is typed when there is no more output, and shown as "^C".
    """

    lines: tuple[str, ...]
    shown: str = ""
    interrupted: bool = False


@dataclass(frozen=True)
class Example:
    """Commands that belong together.

    Attributes:
        differs: how it differs from the document, and why; "" if it does not.
        arch: the only architecture with the example; "" if all have it.
        why: why it is the only one.
    """

    commands: tuple[Command, ...]
    differs: str = ""
    arch: str = ""
    why: str = ""

    def is_on(self, arch: str) -> bool:
        return self.arch in ("", arch)


@dataclass(frozen=True)
class NotHere:
    """A part of the document that is not typed."""

    what: str
    why: str


@dataclass(frozen=True)
class Section:
    """A section.

    Attributes:
        machine: the options of its machine, by their names in `emu run`.
        parts: in the document's order; a str is a paragraph.
    """

    name: str
    title: str
    machine: dict[str, str]
    parts: tuple[str | Example | NotHere, ...]

    @property
    def examples(self) -> Iterator[Example]:
        return (part for part in self.parts if isinstance(part, Example))


def parse_section(name: str, text: str) -> Section:
    """Parses a section's file.

    Raises:
        BadSection: the file has errors.
    """
    head, _, rest = text.partition("\n\n")
    title, *options = head.splitlines()
    if not title.startswith("# ") or any(not option.startswith("machine: ") for option in options):
        raise BadSection(f"{name}: it does not begin with a title and its machine")
    words = [word.partition("=") for option in options for word in shlex.split(option.removeprefix("machine: "))]
    parts: list[str | Example | NotHere] = []
    for part in _blocks(rest):
        try:
            _add(parts, part)
        except ValueError as error:
            raise BadSection(f"{name}: {error}: {part}") from None
    return Section(name, title.removeprefix("# "), {key: value for key, _, value in words}, tuple(parts))


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, and examples including their empty lines."""
    example: list[str] = []
    for paragraph in re.split(r"\n\n+", text.strip("\n")):
        if paragraph.startswith(_INDENT):
            example.append(paragraph)
            continue
        if example:
            yield "\n\n".join(example)
            example = []
        yield paragraph
    if example:
        yield "\n\n".join(example)


def _add(parts: list[str | Example | NotHere], block: str) -> None:
    if block.startswith(_INDENT):
        parts.append(Example(tuple(_commands(line.removeprefix(_INDENT) for line in block.splitlines()))))
        return
    paragraph = " ".join(block.split())
    note = _NOTE.match(paragraph)
    if note is None:
        parts.append(paragraph)
    elif match := _NOT_HERE.fullmatch(paragraph):
        parts.append(NotHere(*match.groups()))
    elif not (parts and isinstance(example := parts[-1], Example)):
        raise ValueError("there is no example before this")
    else:
        text = paragraph[note.end() :]
        parts[-1] = replace(example, arch=note[2], why=text) if note[2] else replace(example, differs=text)


def _commands(lines: Iterable[str]) -> Iterator[Command]:
    commands = [list(lines) for _, lines in itertools.groupby(_numbered(lines), key=lambda line: line[0])]
    for command in commands:
        typed: list[str] = []
        shown: list[str] = []
        interrupted = False
        for _, line in command:
            if not typed or (line.startswith(_CONTINUED) and not shown):
                typed.append(line[len(_PROMPT) :])
            else:
                interrupted |= line == _INTERRUPTED  # the terminal also echoes it
                shown += _printed(line)
        yield Command(tuple(typed), "".join(f"{line}\n" for line in shown), interrupted)


def _printed(line: str) -> list[str]:
    """What a line of an example stands for."""
    columns = _COLUMNS.fullmatch(line)
    return (_FOLDER / f"{columns[1]}.txt").read_text().splitlines() if columns else [line]


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Each line with the number of its command."""
    number = 0
    for line in lines:
        number += line.startswith(_PROMPT)
        if not number:
            raise ValueError("an example begins with '$ '")
        yield number, line

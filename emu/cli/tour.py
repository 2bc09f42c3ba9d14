# SPDX-License-Identifier: GPL-2.0-only
"""emu tour: types, runs and shows the examples of the ftrace documents."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import click

from emu.cli.guest_errors import guest_errors
from emu.cli.machine_options import RunLimits, config_of, machine_options
from emu.cli.machine_options import boot as boot_machine
from emu.cli.output import open_shown
from emu.cli.progress import Progress
from emu.cli.signals import raised
from emu.cli.standard_streams import write_through
from emu.cli.table import width_of
from emu.tour import DOCUMENTS, Command, Document, Example, Guide, NotHere, Section, document
from emu.tour.verdicts import verdicts

if TYPE_CHECKING:
    from emu.machine import Machine

__all__ = ["tour"]

_COLUMNS = 100  # maximum, for paragraphs
_MOST_LINES = 40  # of a command's output

EXAMPLES = """\
\b
Examples:
  emu tour
  emu tour --list
  emu tour --verdicts ftrace
  emu tour ftrace irqsoff
  emu tour --arch sparc64 function-graph

\b
Each section begins on a fresh machine. Of what a command prints, the first 40 lines are shown; --full shows all.

\b
Exit status: 0; 2: there is no such document or section, or an option is wrong; 124: a section reached --limit or
--host-limit; 125: the guest's kernel panicked; 130: interrupted by Ctrl-C.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--list", "listed", is_flag=True, help="Only list the documents and sections.")
@click.option("--verdicts", "judged", is_flag=True, help="Only print for each example whether it works here as written.")
@click.option("--full", is_flag=True, help="Show all that a command prints.")
@machine_options
@click.argument("name", required=False, metavar="[DOCUMENT")
@click.argument("section", required=False, metavar="[SECTION]]")
def tour(name: str | None, section: str | None, listed: bool, judged: bool, full: bool, **machine_arguments: object) -> int:
    """Show the examples of the ftrace documents: each explained, typed into the guest's shell, and run."""
    try:
        documents = DOCUMENTS if name is None else [document(name)]
        chosen = [(one, [one.section(section)] if section else one.sections) for one in documents]
    except KeyError as error:
        raise click.UsageError(error.args[0]) from None
    if listed or judged:
        write_through(sys.stdout, (_list(chosen) if listed else verdicts(chosen)).encode())
        return 0
    limits = RunLimits.taken_from(machine_arguments)
    config = config_of(machine_arguments)
    progress = Progress()

    def boot(console: Callable[[bytes], None], **needed: str) -> Machine:
        values = {name: int(value) if name in ("cpus", "quantum") else value for name, value in needed.items()}
        return boot_machine(config_of({**vars(config), **values}), console, limits, progress)

    def pieces() -> Iterator[bytes]:
        for one, sections in chosen:
            heading = f"{one.title}\n{'=' * len(one.title)}\n\n"
            for part in sections:
                with progress.during(f"typing {one.name} {part.name}"), guest_errors():
                    shown = guide.commands(part, config.arch)
                yield (heading + "".join(_texts(one, part, config.arch, iter(shown), None if full else _MOST_LINES))).encode()
                heading = ""

    with raised(), open_shown(None) as out, Guide(boot, **limits._asdict()) as guide:
        out.write(pieces)
    return 0


def _list(chosen: Iterable[tuple[Document, Iterable[Section]]]) -> str:
    """The names for `emu tour`."""
    texts = []
    for one, sections in chosen:
        names = "".join(_listed(section) for section in sections)
        texts.append(f"{textwrap.fill(f'{one.name}: {one.title}', width_of(sys.stdout))}\n{names}")
    return "\n".join(texts)


def _listed(section: Section) -> str:
    """A line; long titles continue on the next line."""
    start = f"  {section.name:24} "
    return textwrap.fill(section.title, width_of(sys.stdout), initial_indent=start, subsequent_indent=" " * len(start)) + "\n"


def _texts(one: Document, section: Section, arch: str, shown: Iterator[tuple[Command, str]], most: int | None) -> Iterator[str]:
    """A section, with the output of its commands."""
    title = f"{section.title} (emu tour {one.name} {section.name})"
    yield f"{title}\n{'-' * len(title)}\n\n"
    for part in section.parts:
        if isinstance(part, NotHere):
            yield _paragraph(f"Not here: {part.what}: {part.why}")
        elif isinstance(part, str):
            yield _paragraph(part)
        elif part.is_on(arch):
            for _ in part.commands:
                yield _transcript(*next(shown), most)
            yield "\n"
            if part.differs:
                yield _paragraph(f"Differs: {part.differs}")
        else:
            yield _absent(part)


def _absent(example: Example) -> str:
    typed = "".join(f"    # {line}\n" for command in example.commands for line in command.lines)
    return f"{typed}\n{_paragraph(f'Only on {example.arch}: {example.why}')}"


def _transcript(command: Command, printed: str, most: int | None) -> str:
    """A command and its output, limited to `most` lines."""
    first, *others = command.lines
    lines = [f"# {first}", *(f"> {line}" for line in others)]
    output = printed.splitlines()
    lines += output[:most]
    if most is not None and len(output) > most:
        lines.append(f"... ({len(output) - most:,} more lines)")
    return textwrap.indent("".join(f"{line}\n" for line in lines), "    ", lambda line: True)


def _paragraph(text: str) -> str:
    return textwrap.fill(text, min(_COLUMNS, width_of(sys.stdout)), break_long_words=False, break_on_hyphens=False) + "\n\n"

# SPDX-License-Identifier: GPL-2.0-only
"""emu race show: a schedule as a table, or event by event."""

from __future__ import annotations

from pathlib import Path

import click

from emu.cli.output import new_file
from emu.cli.race.errors import lab_errors
from emu.cli.race.say import say

__all__ = ["show"]

EXAMPLES = """\
\b
Examples:
  emu race show wrong.schedule
  emu race show --step wrong.schedule
  emu race show --svg wrong.schedule > wrong.svg
  emu race show -o wrong.html wrong.schedule
  printf '3\\nr 0\\np\\n' | emu race show --step wrong.schedule

\b
With --step each line of standard input is a command: n or an empty line goes to the next event, p to the one before, a
number to that event. What each CPU may see is printed there. `r` has the schedule replayed on the booted guest, and
prints the CPUs' registers. ? lists the commands, q leaves.

\b
A page (-o FILE.html) has the picture of --svg. A click on an event, or n and p, shows the state after it. It needs no
other file.

\b
Exit status: 0; 2: the output cannot be written, the schedule cannot be read, or has an event that is not
possible where it stands.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--step", is_flag=True, help="Walk forwards and backwards through the schedule.")
@click.option("--svg", "as_svg", is_flag=True, help="Print a picture in SVG.")
@click.option(
    "-o", "output", type=click.Path(path_type=Path), metavar="FILE", help="Write FILE.html, a page to click through, or FILE.svg."
)  # fmt: skip
@click.argument("schedule", metavar="SCHEDULE", type=click.Path(path_type=Path))
def show(schedule: Path, step: bool, as_svg: bool, output: Path | None) -> int:
    """Show a schedule as a table.

    The columns are the actions of the patcher and of each CPU, the contents of memory, and the CPUs that owe an answer.
    """
    if step + as_svg + (output is not None) > 1:
        raise click.UsageError("--step, --svg and -o exclude each other.")
    if output is not None and output.suffix not in (".html", ".svg"):
        raise click.UsageError(f"'{output}' is no picture: FILE.html or FILE.svg is.")
    with lab_errors():
        from emu.race.schedule.picture import page, svg
        from emu.race.schedule.schedule import read
        from emu.race.schedule.show import table

        found = read(schedule)
        if as_svg:
            say(svg(found))
            return 0
        if output is not None:
            text = page(found) if output.suffix == ".html" else svg(found)
            with new_file(output) as file:
                file.write(text.encode())
            return 0
        if not step:
            say(table(found))
            return 0
        from emu.cli.race.walking import walk_along

        walk_along(found)
    return 0

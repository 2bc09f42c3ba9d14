# SPDX-License-Identifier: GPL-2.0-only
"""emu race show: a schedule as a table, or event by event."""

from __future__ import annotations

from pathlib import Path

import click

from emu.cli.race.errors import lab_errors
from emu.cli.race.say import say

__all__ = ["show"]

EXAMPLES = """\
\b
Examples:
  emu race show wrong.schedule
  emu race show --step wrong.schedule
  printf '3\\nr 0\\np\\n' | emu race show --step wrong.schedule

\b
With --step each line of standard input is a command: n or an empty line goes to the next event, p to the one before, a
number to that event. What each CPU may see is printed there. `r` has the schedule replayed on the booted guest, and
prints the CPUs' registers. ? lists the commands, q leaves.

\b
Exit status: 0; 2: the schedule cannot be read, or has an event that is not possible where it stands.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--step", is_flag=True, help="Walk forwards and backwards through the schedule.")
@click.argument("schedule", metavar="SCHEDULE", type=click.Path(path_type=Path))
def show(schedule: Path, step: bool) -> int:
    """Show a schedule as a table.

    The columns are the actions of the patcher and of each CPU, the contents of memory, and the CPUs that owe an answer.
    """
    with lab_errors():
        from emu.race.schedule.schedule import read
        from emu.race.schedule.show import table

        found = read(schedule)
        if not step:
            say(table(found))
            return 0
        from emu.cli.race.walking import walk_along

        walk_along(found)
    return 0

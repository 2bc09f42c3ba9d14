# SPDX-License-Identifier: GPL-2.0-only
"""emu race replay: does the booted guest do what a schedule says?"""

from __future__ import annotations

from pathlib import Path

import click

from emu.cli.progress import Progress
from emu.cli.race import options
from emu.cli.race.document import json_text, verdict_object
from emu.cli.race.errors import lab_errors
from emu.cli.race.report import table
from emu.cli.race.say import say
from emu.cli.signals import raised

__all__ = ["replay"]

EXAMPLES = """\
\b
Examples:
  Find something on the machine, and see it again in another process:
    emu race check --on machine -o wrong.schedule my.race
    emu race replay wrong.schedule

\b
The guest boots with the schedule's seed, and does one event of the schedule after another. A schedule of the model is
replayed, too: the functions of the guest's module race_lab are its sites.

\b
Exit status: 0: everything is as recorded; 1: something else happens; 2: the schedule cannot be read, is of other
images, or has an event that is not possible where it stands; 125: the guest's kernel panicked while it booted; 130:
interrupted by Ctrl-C.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@options.as_json
@click.argument("schedule", metavar="SCHEDULE", type=click.Path(path_type=Path))
def replay(schedule: Path, as_json: bool) -> int:
    """Do a schedule's events on the booted guest.

    What comes of them is compared with what was recorded.
    """
    progress = Progress()
    with raised(), progress.during("replaying"), lab_errors():
        from emu.race import lab
        from emu.race.schedule import read

        recorded = read(schedule)
        verdict = lab.replay(recorded)
    same = verdict.wrong is recorded.wrong
    if as_json:
        say(json_text({"as_recorded": same, "verdict": verdict_object(verdict)}))
    else:
        say(table(verdict) + ("as recorded\n" if same else f"not as recorded: {recorded.wrong or 'nothing wrong'}\n"))
    return 0 if same else 1

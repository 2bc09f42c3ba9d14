# SPDX-License-Identifier: GPL-2.0-only
"""emu race replay: does the booted guest do what schedules say?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.progress import Progress
from emu.cli.race import options
from emu.cli.race.document import json_text, verdict_object
from emu.cli.race.errors import lab_errors
from emu.cli.race.report import counted, table
from emu.cli.race.say import say
from emu.cli.race.searching import ended_early
from emu.cli.signals import raised

if TYPE_CHECKING:
    from emu.race import Schedule, Verdict

__all__ = ["replay"]

EXAMPLES = """\
\b
Examples:
  Find something on the machine, and see it again in another process:
    emu race check --on machine -o wrong.schedule my.race
    emu race replay wrong.schedule
  All that was found for a protocol, in one go:
    emu race replay found/*.schedule

\b
The guest boots with the schedule's seed, and does one event of the schedule after another. A schedule of the model is
replayed, too: the functions of the guest's module race_lab are its sites. Of one FILE, the table is shown; of several,
each has a line that begins with Ok or No, and the table is shown if something else happens than what was recorded. A
schedule that the guest cannot do is a No with the reason, and the next one follows.

\b
Exit status: 0: everything is as recorded; 1: something else happens; 2: a schedule cannot be read, is of other images,
is for the model alone, or has an event that is not possible where it stands; 125: the guest's kernel panicked while it
booted; 130: interrupted by Ctrl-C. What was replayed until then is printed.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@options.as_json
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
def replay(files: Sequence[Path], as_json: bool) -> int:
    """Replay schedules on the booted guest.

    The results are compared with the recorded ones.
    """
    progress = Progress()
    with progress.during("loading the race lab"), lab_errors():
        from emu.race import api
        from emu.race.schedule.schedule import read

        schedules = [(path, read(path)) for path in files]
    replayed: list[_Replayed] = []
    with raised(), ended_early() as end:
        for path, recorded in schedules:
            with progress.during(f"replaying, {len(replayed)} of {len(files)} done"), lab_errors(path):
                try:
                    replayed.append(_Replayed(path, recorded, api.replay(recorded)))
                except ValueError as error:
                    if len(files) == 1:
                        raise
                    replayed.append(_Replayed(path, recorded, None, str(error)))
            if not as_json:
                say(replayed[-1].text if len(files) == 1 else replayed[-1].line)
    if as_json:
        say(json_text({"files": [one.document for one in replayed], "complete": end.by is None}))
    elif len(files) > 1:
        say(_sentence(replayed, complete=end.by is None))
    end.go_on()
    return 2 if any(one.verdict is None for one in replayed) else 0 if all(one.same for one in replayed) else 1


@dataclass(frozen=True)
class _Replayed:
    """A schedule, and its result; if the guest cannot do it, `verdict` is None, and `why` says why."""

    path: Path
    recorded: Schedule
    verdict: Verdict | None
    why: str = ""

    @property
    def same(self) -> bool:
        return self.verdict is not None and self.verdict.wrong is self.recorded.wrong

    @property
    def text(self) -> str:
        if self.verdict is None:
            return ""
        end = "as recorded" if self.same else f"not as recorded: {self.recorded.wrong or 'nothing wrong'}"
        return f"{table(self.verdict)}{end}\n"

    @property
    def line(self) -> str:
        if self.verdict is None:
            return f"No  {self.path.name}: {self.why}\n"
        found = f"{self.verdict.wrong} after {counted(len(self.verdict.schedule), 'event')}: " * bool(self.verdict.wrong)
        return f"{'Ok' if self.same else 'No'}  {self.path.name}: {found}{self.verdict.why}\n{'' if self.same else self.text}"

    @property
    def document(self) -> dict[str, object]:
        verdict = self.verdict and verdict_object(self.verdict)
        return {"file": str(self.path), "as_recorded": self.same, "verdict": verdict, "why": self.why}


def _sentence(replayed: Sequence[_Replayed], *, complete: bool) -> str:
    wrong = sum(not one.same for one in replayed)
    how = f"{wrong:,} not as recorded" if wrong else "all as recorded"
    return f"{counted(len(replayed), 'schedule')}{'' if complete else ', then interrupted'}: {how}\n"

# SPDX-License-Identifier: GPL-2.0-only
"""emu shell: the guest's console on this terminal, or with a script from standard input."""

from __future__ import annotations

import os
import select
import sys
from typing import Any

import click

from emu.cli.machine_options import GuestDied, MachineOptions, machine_options
from emu.cli.progress import Progress

__all__ = ["shell"]

EXAMPLES = """\
\b
Examples:
  emu shell
  echo 'ls /bin | sed s/[aeiou]/z/g' | emu shell --cpus 4

\b
Exit status: the shell's; 2: an option is wrong; 125: the guest's kernel panicked; 130: interrupted by Ctrl-C.
"""


class HostInput:
    """Standard input, for a machine that goes on running while nothing is typed."""

    CHUNK = 65536

    def read(self, *, wait: bool) -> bytes | None:
        """What has come, b"" at the end; None if nothing has, which with `wait` cannot be."""
        descriptor = sys.stdin.fileno()
        if not wait and not select.select([descriptor], [], [], 0)[0]:
            return None
        return os.read(descriptor, self.CHUNK)


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@machine_options
def shell(**machine_arguments: Any) -> int:
    """Talk to the guest's shell; or run the script on standard input, if that is no terminal."""
    from emu.machine import GuestPanic, PoweredOff

    progress = Progress()
    with progress.during("booting (the first time, compiling takes a while)"):
        machine = MachineOptions(**machine_arguments).boot(_write)
    with machine:
        try:
            if sys.stdin.isatty():
                return machine.run("sh -i", stdin=HostInput()).status
            return machine.run("sh", stdin=sys.stdin.buffer.read()).status
        except PoweredOff as end:
            return end.status
        except GuestPanic as panic:
            raise GuestDied(str(panic)) from None


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

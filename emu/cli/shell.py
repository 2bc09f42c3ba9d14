# SPDX-License-Identifier: GPL-2.0-only
"""emu shell: the guest's console on this terminal, or with a script on standard input."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from emu.cli.guest_errors import guest_errors
from emu.cli.linux.options import LinuxCommand, LinuxOptions, linux_options
from emu.cli.linux.running import shell_on_linux
from emu.cli.machine_options import RunLimits, boot, config_of, machine_options
from emu.cli.progress import Progress
from emu.cli.signals import Terminated, raised
from emu.cli.standard_streams import write_through
from emu.cli.terminal import HostTerminal, Left

if TYPE_CHECKING:
    from emu.machine import Machine

__all__ = ["shell"]

BANNER = """\
Ctrl-] leaves the emulator; every other key, Ctrl-C too, is the guest's.
Time is the guest's own: it stands still at the prompt, and sleep ends at once.
"""

EXAMPLES = """\
\b
Examples:
  emu shell
  echo 'ls /bin | sed s/[aeiou]/z/g' | emu shell --cpus 4
  emu shell --userland busybox

\b
On a terminal every key goes to the guest: Ctrl-C interrupts the guest's foreground job, Ctrl-D ends its shell.
Ctrl-] leaves the emulator. Its shell edits lines with bash's keys and keeps a history.

\b
Time is the machine's own. It passes while programs run, as many nanoseconds as their instructions take; while all of
them wait for a key it stands still, and when they sleep it jumps: `sleep 3` ends at once, three seconds later.

\b
Exit status: the shell's; 0: left by Ctrl-]; 2: an option is wrong; 124: --limit or --host-limit was reached;
125: the guest's kernel panicked; 130: interrupted by Ctrl-C, if there is no terminal.
"""


@click.command(cls=LinuxCommand, context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@linux_options
@machine_options
def shell(**machine_arguments: Any) -> int:
    """Talk to the guest's shell; or run the script on standard input, if that is not a terminal."""
    from emu.machine import PoweredOff

    if (on_linux := LinuxOptions.taken_from(machine_arguments, click.get_current_context())) is not None:
        return shell_on_linux(on_linux)
    limits = RunLimits.taken_from(machine_arguments)
    progress = Progress()

    def console(data: bytes) -> None:
        with progress.while_writing(data):
            _write(data)

    with raised():
        machine = boot(config_of(machine_arguments), console, limits, progress)
    with machine, guest_errors():
        try:
            if sys.stdin.isatty():
                return _talk(machine, limits)
            return machine.run(["sh"], stdin=sys.stdin.buffer.read(), **limits._asdict()).status
        except PoweredOff as end:
            return end.status


def _talk(machine: Machine, limits: RunLimits) -> int:
    if sys.stdout.isatty():
        _write(BANNER.encode())
    try:
        with HostTerminal(lambda: machine.kernel.limits.host_left) as terminal:
            return machine.run(["sh", "-i"], terminal=terminal, **limits._asdict()).status
    except Left:
        _write(b"\n")
        return 0
    except Terminated as end:
        return end.status


def _write(data: bytes) -> None:
    write_through(sys.stdout, data)

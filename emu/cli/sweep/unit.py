# SPDX-License-Identifier: GPL-2.0-only
"""A unit of a sweep: one run of the command on one machine. It runs in the workers of the campaign."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import click

from emu.campaign.unit import Json, Measures, Scalar
from emu.cli.command import run_command
from emu.cli.guest_errors import GuestDied, TimedOut, guest_errors
from emu.cli.linux.running import boot_linux
from emu.cli.machine_options import RunLimits, boot
from emu.cli.progress import Progress
from emu.cli.record import MEASURING
from emu.cli.sweep.measures import COUNTS, LATENCY, Measuring
from emu.cli.sweep.run_options import RunOptions, run_options
from emu.cli.trace_options import recording_of
from emu.machine_config import MachineConfig

if TYPE_CHECKING:
    from emu.cli.traced_machine import AnyMachine
    from emu.cpu.snapshot import Checkpoint
    from emu.machine import Machine

__all__ = ["close_machines", "measured"]

_MACHINES = 3  # that a worker keeps booted
_BOOTING = RunLimits(1, None)  # nothing of the host's, and in virtual time the least that boots are given


def measured(parameters: Mapping[str, Scalar], given: Mapping[str, Json]) -> Measures:
    """Runs the command, and measures.

    Args:
        parameters: the unit's, which are not used: `given` has what they make of the run.
        given: "words" are options of `emu run`, "command" is the guest's command, "measures" are texts as `measures.check` takes
            them; none: the counts, and the latency if the tracer measures one. "files" are the digests of the host's files.

    Returns:
        `outcome` ("ended", "panicked" or "limit"), the command's exit `status`, and the measures.

    Raises:
        ValueError: an option is wrong, or something cannot be measured.
    """
    try:
        words, command, texts, files = (cast(list[str], given[name]) for name in ("words", "command", "measures", "files"))
        options = run_options(words, command)
        return _measured(options, command, texts or _default(options), tuple(files))
    except click.ClickException as error:
        raise ValueError(error.format_message()) from None


def _default(options: RunOptions) -> list[str]:
    return [COUNTS, *([LATENCY] if options.tracing.one("-p") in MEASURING else [])]


def _measured(options: RunOptions, command: Sequence[str], texts: Sequence[str], files: tuple[str, ...]) -> Measures:
    outcome, status = "ended", None
    traced = recording_of([options.tracing])
    with _machine(options, files) as (machine, output):
        with guest_errors():
            options.tracing.set_up(machine, options.tracing.settings())
        del output[:]
        with Measuring(machine, texts) as measuring:
            try:
                limits = RunLimits(options.limits.limit, None)
                status = run_command(machine, command, limits, trace=traced, follow=options.follow)
            except GuestDied:
                outcome = "panicked"
            except TimedOut:
                outcome = "limit"
            measuring.end()
            return {"outcome": outcome, "status": status, **measuring.values(bytes(output))}


@contextmanager
def _machine(options: RunOptions, files: tuple[str, ...]) -> Iterator[tuple[AnyMachine, bytearray]]:
    """A booted machine at which nothing is traced, and what its commands print.

    emu's own is kept, and goes back to a checkpoint. A Linux is kept on disk.
    """
    if options.config is not None:
        kept = _kept(options.config, files)
        yield kept.machine, kept.output
        return
    assert options.on_linux is not None
    output = bytearray()
    with boot_linux(options.on_linux._replace(limits=_BOOTING), Progress(wanted=False), output.extend, output.extend) as machine:
        yield machine, output


class _Kept:
    """A machine that is kept, as it was after its boot."""

    def __init__(self, config: MachineConfig) -> None:
        self.output = bytearray()
        self.machine: Machine = boot(config, self.output.extend, _BOOTING, Progress(wanted=False))
        self._booted: Checkpoint = self.machine.checkpoint()

    def go_back(self) -> None:
        """Puts the machine back to the end of its boot."""
        self.machine.restore(self._booted)


_machines: OrderedDict[tuple[MachineConfig, tuple[str, ...]], _Kept] = OrderedDict()  # the one used last is the last


def _kept(config: MachineConfig, files: tuple[str, ...]) -> _Kept:
    """The machine, booted from files with these digests."""
    kept = _machines.pop((config, files), None)
    if kept is None:
        while len(_machines) >= _MACHINES:
            _machines.popitem(last=False)[1].machine.close()
        kept = _Kept(config)
    else:
        kept.go_back()
    _machines[config, files] = kept
    return kept


def close_machines() -> None:
    """Closes the machines that are kept."""
    while _machines:
        _machines.popitem()[1].machine.close()

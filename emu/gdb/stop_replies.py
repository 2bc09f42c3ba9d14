# SPDX-License-Identifier: GPL-2.0-only
"""Stop replies: what GDB is told when the machine stands (GDB manual, appendix E, "Stop Reply Packets")."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.gdb.syscalls import SyscallStop
from emu.history.stops import Reason, Stop, StopReason, Watchpoint

__all__ = ["BRANCHED", "reply", "text"]

BRANCHED = "What ran after this instant is forgotten: a new branch begins.\n"

_NO_SIGNAL, _INTERRUPT, _TRAP, _ABORT = 0, 2, 5, 6  # GDB's numbers
_SIGNALS = {
    Reason.BREAKPOINT: _TRAP, Reason.WATCHPOINT: _TRAP, Reason.STEP: _TRAP, Reason.START: _TRAP,
    Reason.INTERRUPTED: _INTERRUPT, Reason.FAILED: _ABORT,
}  # fmt: skip


def reply(
    stopped: StopReason,
    kind_of: Callable[[Stop], str | None],
    features: frozenset[str],
    cpu: int | None = None,
    call: SyscallStop | None = None,
) -> bytes:
    """The packet.

    Args:
        stopped: why the machine stands.
        kind_of: what GDB knows a stop as: see Breakpoints.kind.
        features: what GDB has said that it supports.
        cpu: the index of the CPU that is shown; default: the one that stopped.
        call: the system call that is caught there; None: there is none. It is told instead of a breakpoint.
    """
    words = [f"T{_SIGNALS.get(stopped.reason, _NO_SIGNAL):02x}thread:{(stopped.cpu if cpu is None else cpu) + 1:x};"]
    if stopped.reason == Reason.START:
        words.append("replaylog:begin;")
    if call is not None:
        words.append(f"syscall_{'return' if call.returns else 'entry'}:{call.number:x};")
    for stop in stopped.stops if call is None else ():
        kind = kind_of(stop)
        if kind is None:
            continue
        if isinstance(stop, Watchpoint):
            words.append(f"{kind}:{max(stopped.address, stop.address):x};")
            break
        if kind in features:
            words.append(f"{kind}:;")
            break
    return "".join(words).encode()


def text(stopped: StopReason, kind_of: Callable[[Stop], str | None], held: Sequence[int] = ()) -> str:
    """A line for GDB's user; "" if the stop reply says it all. `held`: the CPUs that are held."""
    if stopped.reason == Reason.ENDED:
        return f"The command has ended with status {stopped.status}.\n"
    if stopped.reason == Reason.IDLE and held:
        return f"Every other CPU sleeps, and CPU {', '.join(map(str, held))} is held: monitor release.\n"
    if stopped.reason == Reason.IDLE:
        return "Every CPU sleeps, and nothing will wake one.\n"
    if stopped.reason == Reason.START:
        return "The history begins here.\n"
    if stopped.reason == Reason.FAILED:
        return f"{stopped.text}\n"
    if stopped.reason == Reason.WATCHPOINT:
        what = "written" if stopped.write else "read"
        own = [stop for stop in stopped.stops if isinstance(stop, Watchpoint) and kind_of(stop) is None]
        if stopped.host:
            return f"The host has {what} at {stopped.address:#x}.\n"
        if own:
            return f"{'Physical address' if own[0].physical else 'Address'} {stopped.address:#x} is {what}.\n"
    return ""

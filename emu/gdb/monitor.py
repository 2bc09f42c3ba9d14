# SPDX-License-Identifier: GPL-2.0-only
"""The commands of `monitor`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from emu.cpu.cpu import Cpu
from emu.gdb.callers import Callers, answer
from emu.gdb.catching import Catching
from emu.gdb.libraries import Libraries
from emu.gdb.memory import Memory
from emu.gdb.stop_replies import BRANCHED
from emu.gdb.task_threads import TaskThreads, Waiting
from emu.gdb.typed_text import typed
from emu.guest_machine import BadCommand
from emu.history import holding
from emu.history.stops import Instant, Reason, StopReason, Watchpoint
from emu.history.travel import Travel

__all__ = ["Monitor", "Views"]

_UNITS = {"": 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_TIME = re.compile(r"(\d+)(?:\.(\d+))?(s|ms|us|ns)?")
_MOST_BYTES = 1 << 20
_SHOWN = 16  # bytes in a line
_MOST_TEXT = 1 << 20  # characters of a trace
_FLUSH = "(gdb's copies of registers are old: maintenance flush register-cache)\n"


@dataclass(frozen=True)
class Views:
    """What a debugger can ask of a guest, besides registers and memory.

    Attributes:
        trace: the pieces of a file of tracefs, by its path.
        tasks: lines about the kernel's tasks.
        patching: lines about the call sites that are being changed.
        libraries: what the kernel loads as it runs; None: nothing.
        callers: those that gdb does not find; None: it finds all.
        waiting: tasks that no CPU runs; None: they are not known.
    """

    trace: Callable[[str], Iterator[bytes]]
    tasks: Callable[[], Iterator[str]]
    patching: Callable[[], Iterator[str]]
    libraries: Libraries | None = None
    callers: Callers | None = None
    waiting: Waiting | None = None


class Monitor:
    """Obeys `monitor`.

    Args:
        travel: the machine.
        memory: its memory.
        views: what else can be asked of it.

    Attributes:
        tasks: those that are threads.
        catching: the traps that stop.
        of_linux: whether GDB may take the ABI for GNU/Linux's.
    """

    def __init__(self, travel: Travel, memory: Memory, views: Views) -> None:
        self._travel, self._memory, self._views = travel, memory, views
        self._checkpoints: dict[str, Instant] = {}
        self.tasks = TaskThreads(views.waiting, memory.arch)
        self.catching = Catching(travel, travel.board, memory)
        self.of_linux = False
        self._commands: Mapping[str, tuple[str, str, Callable[[str, Cpu], str]]] = {
            "help": ("", "shows this", self._help),
            "when": ("", "shows the present instant: virtual time, turn, CPU", self._when),
            "goto": ("TIME|NAME", "goes to a virtual time (0.0143, 14.3ms), or a checkpoint", self._goto),
            "checkpoint": ("[NAME]", "names the present instant, for goto; or lists the names", self._checkpoint),
            "run": ("[-i] COMMAND", "begins a command in the guest: continue runs it; -i: its input is typed", self._run),
            "type": ("[TEXT]", r"gives it input, with \n, \t, \\, \xHH; without TEXT: ends the input", self._type),
            "hold": ("CPU...|others", "makes CPUs stand, whatever runs; others: all but the one that is shown", self._hold),
            "release": ("", "ends this", self._release),
            "tasks": ("", "lists the kernel's tasks", lambda words, cpu: _lines(self._views.tasks())),
            "threads": ("[cpus|tasks]", "says what threads are", lambda words, cpu: self.tasks.choose(words)),
            "trace": ("[FILE]", "shows the trace, or another file of tracefs", self._trace),
            "patching": ("", "says which call sites are being changed", lambda words, cpu: _lines(self._views.patching())),
            "physical": ("ADDRESS [BYTES]", "shows memory by physical addresses", self._physical),
            "translate": ("ADDRESS", "shows the physical address behind a virtual one", self._translate),
            "watch": ("ADDRESS BYTES [r|w|a]", "stops at accesses to a physical address", self._watch),
            "unwatch": ("", "ends all of these", self._unwatch),
            "catch": ("[TRAP...]", "stops where CPUs take traps, also syscall:NUMBER; or lists their names", self._catch),
            "uncatch": ("", "ends this", self._uncatch),
            "abi": ("none|linux", "whether gdb may take the ABI for GNU/Linux's, for emu.gdb", self._abi),
            "caller": ("[REGISTER=VALUE...]", "the caller's registers, for emu.gdb", self._caller),
        }

    def obey(self, line: str, cpu: Cpu) -> str:
        """Obeys a command. `cpu`: the one that is shown. Returns what is to be printed."""
        name, _, words = line.strip().partition(" ")
        found = [known for known in self._commands if known.startswith(name)] if name else ["help"]
        if name in self._commands:
            found = [name]
        if len(found) != 1:
            return f"'{name}' is {'ambiguous' if found else 'unknown'}: monitor help\n"
        try:
            return self._commands[found[0]][2](words.strip(), cpu)
        except (LookupError, ValueError, RuntimeError, OSError) as error:
            return f"{str(error).splitlines()[0] if str(error) else type(error).__name__}\n"

    def _help(self, words: str, cpu: Cpu) -> str:
        return _lines(f"{name + ' ' + arguments:30}{what}" for name, (arguments, what, _) in self._commands.items())

    # Time

    def _when(self, words: str, cpu: Cpu) -> str:
        travel = self._travel
        now, seconds = travel.now, travel.nanoseconds / 10**9
        more = ", with a future that is known" if now < travel.last else ""
        if stand := holding.held(travel.board):
            more += f", held: CPU {', '.join(map(str, stand))}"
        return f"{seconds:.9f} s, turn {now.turn}, CPU {travel.cpu}, branch {travel.branch}{more}\n"

    def _goto(self, words: str, cpu: Cpu) -> str:
        if words in self._checkpoints:
            where: int | Instant = self._checkpoints[words]
        else:
            where = _nanoseconds(words)
        stopped = self._travel.goto(where)
        return _ended(stopped) + self._when("", cpu) + _FLUSH

    def _checkpoint(self, words: str, cpu: Cpu) -> str:
        if not words:
            return _lines(iter(self._checkpoints))
        self._checkpoints[words] = self._travel.now
        return f"goto {words} comes back here\n"

    # The guest

    def _run(self, words: str, cpu: Cpu) -> str:
        is_typed = words.partition(" ")[0] == "-i"
        command = words.removeprefix("-i").lstrip() if is_typed else words
        if not command:
            raise ValueError("run needs a command")
        try:
            self._travel.begin(command, None if is_typed else b"")
        except BadCommand as error:
            raise ValueError(str(error)) from None
        return "continue runs it\n"

    def _type(self, words: str, cpu: Cpu) -> str:
        data, before = typed(words), self._travel.branch
        self._travel.type(data)
        return (f"{len(data)} bytes are typed\n" if data else "the input ends\n") + self._branched(before)

    def _hold(self, words: str, cpu: Cpu) -> str:
        board, before = self._travel.board, self._travel.branch
        others = [one.index for one in board.cpus if one is not cpu]
        holding.hold(board, others if words == "others" else _numbers(words), self._travel.changing())
        return f"held: CPU {', '.join(map(str, holding.held(board))) or 'none'}\n" + self._branched(before)

    def _release(self, words: str, cpu: Cpu) -> str:
        before = self._travel.branch
        holding.release(self._travel.board, self._travel.changing())
        return "all CPUs run\n" + self._branched(before)

    def _branched(self, before: int) -> str:
        """What to say if a new branch of the run has begun. `before`: the number of the one before."""
        return BRANCHED if self._travel.branch != before else ""

    def _trace(self, words: str, cpu: Cpu) -> str:
        text = b""
        for piece in self._views.trace(words or "trace"):
            text += piece
            if len(text) > _MOST_TEXT:
                return text[:_MOST_TEXT].decode(errors="replace") + "\n... and more\n"
        return text.decode(errors="replace")

    # Memory

    def _physical(self, words: str, cpu: Cpu) -> str:
        address, size, *rest = [*_numbers(words), 64, 0][:3]
        if rest and rest[0]:
            raise ValueError("physical needs an address and a number of bytes")
        data = self._memory.read_physical(address, min(size, _MOST_BYTES))
        return _lines(f"{address + at:#014x}  {data[at : at + _SHOWN].hex(' ')}" for at in range(0, len(data), _SHOWN))

    def _translate(self, words: str, cpu: Cpu) -> str:
        (address,) = _numbers(words) or [0]
        return f"{self._memory.physical(cpu, address):#x}\n"

    def _watch(self, words: str, cpu: Cpu) -> str:
        *numbers, kind = words.split() if words.split()[-1:] and words.split()[-1] in "rwa" else [*words.split(), "w"]
        parsed = _numbers(" ".join(numbers))
        if len(parsed) != 2:
            raise ValueError("watch needs a physical address and a number of bytes")
        stop = Watchpoint(parsed[0], parsed[1], reads=kind in "ra", writes=kind in "wa", physical=True)
        self._travel.add(stop)
        return f"stops where {stop.size} bytes at {stop.address:#x} are accessed\n"

    def _catch(self, words: str, cpu: Cpu) -> str:
        return self.catching.choose(words)

    def _uncatch(self, words: str, cpu: Cpu) -> str:
        self.catching.clear()
        return "no traps stop\n"

    def _abi(self, words: str, cpu: Cpu) -> str:
        if words not in ("none", "linux"):
            raise ValueError("the ABI is none or linux")
        self.of_linux = words == "linux"
        return "(gdb reads this again: unset tdesc filename)\n"

    def _caller(self, words: str, cpu: Cpu) -> str:
        return f"{answer(self._views.callers, self._memory.arch, words.split())}\n"

    def _unwatch(self, words: str, cpu: Cpu) -> str:
        own = [stop for stop in self._travel.stops if isinstance(stop, Watchpoint) and stop.physical]
        for stop in own:
            self._travel.remove(stop)
        return f"{len(own)} removed\n"


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _numbers(words: str) -> list[int]:
    try:
        return [int(word, 0) for word in words.split()]
    except ValueError:
        raise ValueError(f"'{words}' is no number") from None


def _nanoseconds(word: str) -> int:
    """A virtual time; a number alone is seconds."""
    if (found := _TIME.fullmatch(word)) is None:
        raise ValueError(f"'{word}' is no time and no checkpoint: 0.0143, 14.3ms")
    unit = _UNITS[found[3] or ""]
    whole, digits = int(found[1]), found[2] or "0"
    parts: int = 10 ** len(digits)
    return whole * unit + int(digits) * unit // parts


def _ended(stopped: StopReason) -> str:
    """What to say if a journey has not come to its end."""
    if stopped.reason in (Reason.TIME, Reason.STEP, Reason.BREAKPOINT, Reason.WATCHPOINT):
        return ""
    return f"{stopped.text or stopped.reason.value}\n"

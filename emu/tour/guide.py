# SPDX-License-Identifier: GPL-2.0-only
"""Types the examples of sections into a machine's shell. Each section gets a fresh machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from emu.tour.section import Command, Section

if TYPE_CHECKING:
    from emu.machine import Checkpoint, Machine

__all__ = ["Guide"]

_PROMPT = "\x1e"  # not printed by any command
_SIZE = 24, 200  # rows and columns of the terminal
_PATIENCE = 2_000  # checks of a command that continues to print, before Ctrl-C is typed
_INTERRUPT = b"\x03"
_FIRST = Command(("cd /sys/kernel/tracing",))


class Guide:
    """Types the examples.

    Args:
        boot: boots a machine with options, by their names in `emu run`, and with `console`.
        limit, host_limit: limits for a section, as in Machine.run.
    """

    def __init__(self, boot: Callable[..., Machine], *, limit: int | None = None, host_limit: float | None = None) -> None:
        self._boot = boot
        self._limit = limit
        self._host_limit = host_limit
        self._output = bytearray()
        self._usual: tuple[Machine, Checkpoint] | None = None  # the standard machine, and the checkpoint to restore

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._usual is not None:
            self._usual[0].close()

    def commands(self, section: Section, arch: str) -> list[tuple[Command, str]]:
        """Types the examples of a section. Returns each command with its output.

        Raises:
            the exceptions of Machine.run.
        """
        commands = [command for example in section.examples if example.is_on(arch) for command in example.commands]
        if not commands:
            return []
        with self._machine(section) as machine:
            self._output.clear()
            typist = _Typist(self._output, [_FIRST, *commands])
            shell = ["env", "TERM=dumb", f"PS1={_PROMPT}", "PS2=", "sh", "-i"]  # dumb: no line editing
            machine.run(shell, terminal=typist, limit=self._limit, host_limit=self._host_limit)
        return list(zip(commands, typist.printed[1:], strict=True))

    @contextmanager
    def _machine(self, section: Section) -> Iterator[Machine]:
        if section.machine:
            with closing(self._boot(console=self._output.extend, **section.machine)) as machine:
                yield machine
        elif self._usual is None:
            machine = self._boot(console=self._output.extend)
            self._usual = machine, machine.checkpoint()
            yield machine
        else:
            machine, fresh = self._usual
            machine.restore(fresh)
            yield machine


@dataclass
class _Typist:
    """Types a command at each prompt; finally hangs up.

    Attributes:
        output: the machine's output.
        commands: the commands still to be typed.
        printed: the output of each command typed.
    """

    output: bytearray
    commands: Sequence[Command]
    printed: list[str] = field(default_factory=list)
    _seen: int = 0  # length of the output of earlier commands
    _typed: int = 0  # number of commands typed
    _patience: int = _PATIENCE

    def size(self) -> tuple[int, int]:
        return _SIZE

    def read(self, *, wait: bool) -> bytes | None:
        if len(self.output) > self._seen and self.output.endswith(_PROMPT.encode()):
            if self._typed:
                self.printed.append(self._take())
            self._seen = len(self.output)
            if self._typed == len(self.commands):
                return b""
            self._typed += 1
            self._patience = _PATIENCE
            return "".join(f"{line}\n" for line in self.commands[self._typed - 1].lines).encode()
        if self._typed and self.commands[self._typed - 1].interrupted:
            self._patience -= 1
            if wait or not self._patience:
                return _INTERRUPT
        return None

    def _take(self) -> str:
        """The last command's output: without the echo of what was typed, and without the following prompt."""
        text = self.output[self._seen :].decode(errors="replace").replace("\r", "").removesuffix(_PROMPT)
        return text.removeprefix("".join(f"{line}\n" for line in self.commands[self._typed - 1].lines))

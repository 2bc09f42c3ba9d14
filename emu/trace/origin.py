# SPDX-License-Identifier: GPL-2.0-only
"""What is needed to reproduce a trace: the command that recorded it, and the machine on which it ran.

emu's trace.dat files store it as JSON, in an option of their own (OptionNumber.ORIGIN).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Self

from emu.machine_config import MachineConfig
from emu.trace.dat.options import OptionNumber

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["Origin", "origin_of"]


_OWN = {"emu", "image", "words", "host_tree"}  # besides the machine's


@dataclass(frozen=True)
class Origin:
    """Attributes:
    emu: the version of emu.
    image: SHA-256 of the kernel's image, in hexadecimal.
    machine: MachineConfig.recorded(). Older files lack the frequency, which is always 100 MHz there.
        Of a Linux guest: LinuxConfig.recorded().
    words: the words of the command line, without the name of the file.
    host_tree: identifies the files of the host's tree that the guest has opened (HostTree.digest); None: there was no such tree.
    """

    emu: str
    image: str
    machine: Mapping[str, str | int]
    words: Sequence[str]
    host_tree: str | None = None

    @classmethod
    def of(
        cls, image: str, machine: Mapping[str, str | int], words: Sequence[str], host_tree: str | None = None
    ) -> Self:
        """The origin for a configuration as it is recorded. Its models have names."""
        return cls(version("emu"), image, machine, list(words), host_tree)

    def _values(self) -> dict[str, object]:
        values = {**vars(self), **self.machine}
        del values["machine"]
        return values

    def encode(self) -> bytes:
        return json.dumps({name: value for name, value in self._values().items() if value is not None}, sort_keys=True).encode()

    @classmethod
    def decode(cls, content: bytes) -> Self:
        """Raises ValueError: it is not an origin."""
        try:
            values = json.loads(content)
            of_linux = values.get("guest") == "linux"
            names = values.keys() - _OWN if of_linux else MachineConfig().recorded()
            machine = {name: values.pop(name, None) for name in names}
            machine["frequency"] = machine["frequency"] or MachineConfig.frequency
            origin = cls(machine=machine, **values)
        except (AttributeError, TypeError, ValueError):
            raise ValueError("its record of its origin is damaged") from None
        if None in machine.values():
            raise ValueError("its record of its origin is damaged")
        if not (isinstance(origin.words, list) and all(isinstance(word, str) for word in origin.words)):
            raise ValueError("its record of its origin is damaged: the command is not a list of words")
        return origin

    def changes(self, other: Self) -> list[str]:
        """The differences except in the words: `seed (1, now 2)`."""
        mine, others = self._values(), other._values()
        changed = (name for name in mine if name != "words" and mine[name] != others[name])
        return [f"{name} ({mine[name]}, now {others[name]})" for name in changed]


def origin_of(trace: Trace) -> dict[str, object] | None:
    """The origin of a trace (the fields of Origin), as in its file; None if the file has none."""
    found = trace.recording.option(OptionNumber.ORIGIN)
    try:
        origin = None if found is None else json.loads(found)
    except ValueError:
        return None
    return origin if isinstance(origin, dict) else None

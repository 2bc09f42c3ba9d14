# SPDX-License-Identifier: GPL-2.0-only
"""What makes a trace again: the command that has recorded it, and the machine on which it ran.

A trace.dat of ours has it as JSON, in an option of its own (OptionNumber.ORIGIN).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Self

from emu.trace.dat.options import OptionNumber

if TYPE_CHECKING:
    from emu.kernel.kernel import Kernel
    from emu.trace.trace import Trace

__all__ = ["Origin", "origin_of"]


@dataclass(frozen=True)
class Origin:
    """Attributes:
    emu: the version of this program.
    image: SHA-256 of the kernel's image, in hexadecimal digits.
    arch, cpus, memory, quantum, seed, timing, cpu_model: of the machine; memory in bytes, the quantum in cycles.
    frequency: of the CPUs, in Hz; older files do not say it, and all of them are of 100 MHz.
    words: of the command line, without the file that it names.
    host_tree: stands for the files of the host's tree that the guest has opened (HostTree.digest); None: it had no such tree.
    """

    emu: str
    image: str
    arch: str
    cpus: int
    memory: int
    quantum: int
    seed: int
    timing: str
    cpu_model: str
    words: Sequence[str]
    frequency: int = 100_000_000
    host_tree: str | None = None

    @classmethod
    def of(cls, kernel: Kernel, seed: int, quantum: int, words: Sequence[str], host_tree: str | None = None) -> Self:
        board = kernel.board
        return cls(
            emu=version("emu"),
            image=kernel.image.digest,
            arch=board.arch.name,
            cpus=len(board.cpus),
            memory=board.memory,
            quantum=quantum,
            seed=seed,
            timing=board.timing_model.timing,
            cpu_model=board.timing_model.cpu_model,
            words=list(words),
            frequency=board.frequency,
            host_tree=host_tree,
        )

    def encode(self) -> bytes:
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None}, sort_keys=True).encode()

    @classmethod
    def decode(cls, content: bytes) -> Self:
        """Raises ValueError: it is something else."""
        try:
            origin = cls(**json.loads(content))
        except (TypeError, ValueError):
            raise ValueError("what it says of its origin is damaged") from None
        if not (isinstance(origin.words, list) and all(isinstance(word, str) for word in origin.words)):
            raise ValueError("what it says of its origin is damaged: its command is no list of words")
        return origin

    def differs_from(self, other: Self) -> list[str]:
        """The names of what is not the same, but for the words."""
        mine, others = asdict(self), asdict(other)
        return [name for name in mine if name != "words" and mine[name] != others[name]]


def origin_of(trace: Trace) -> dict[str, object] | None:
    """What makes it again (the fields of Origin), as it stands in its file; None: it does not say."""
    found = trace.recording.option(OptionNumber.ORIGIN)
    try:
        origin = None if found is None else json.loads(found)
    except ValueError:
        return None
    return origin if isinstance(origin, dict) else None

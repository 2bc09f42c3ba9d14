# SPDX-License-Identifier: GPL-2.0-only
"""What kprobes need of a kernel, be it patched or looked at from outside: where it can be probed, and what acts there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from emu.ftrace.native.trace_records import Consumer

__all__ = ["ListedProbe", "ProbePlace", "ProbePlacing"]


@dataclass(frozen=True)
class ProbePlace:
    """A place to probe: `symbol` and an offset, in `module` or (None) wherever it is found first; or an address."""

    symbol: str = ""
    offset: int = 0
    module: str | None = None
    address: int | None = None

    def __str__(self) -> str:
        if self.address is not None:
            return f"{self.address:#x}"
        name = f"{self.module}:{self.symbol}" if self.module else self.symbol
        return f"{name}+{self.offset:#x}" if self.offset else name


class ListedProbe(NamedTuple):
    """A line of kprobes/list for a probe that is defined but does not act."""

    place: ProbePlace
    returns: bool
    of_guest: bool = False


class ProbePlacing(ABC):
    """The kprobes of a kernel."""

    @abstractmethod
    def resolve(self, place: ProbePlace) -> int | None:
        """The address of a place; None if its module is not loaded. Raises TraceError: ENOENT."""

    @abstractmethod
    def is_entry(self, place: ProbePlace) -> bool:
        """Whether a place is the beginning of a function. Assumed to be so if that is unknown yet."""

    @abstractmethod
    def count(self, name: str) -> int:
        """The number of functions with a name in the kernel, not counting its modules."""

    @abstractmethod
    def check(self, place: ProbePlace) -> None:
        """Checks that a place can be probed, or belongs to a module that is not loaded.

        Raises:
            TraceError: ENOENT if there is no such symbol; EILSEQ if no instruction begins there; EINVAL, with the reason, if the
                place cannot be probed.
        """

    @abstractmethod
    def check_return(self, place: ProbePlace) -> None:
        """Checks that returns can be probed. Raises TraceError, see `check`: EINVAL if the place is not a function's start."""

    @abstractmethod
    def add(self, place: ProbePlace, acting: Consumer) -> None:
        """Makes a consumer act at a place, from the next update on, or as soon as the place exists.

        Raises:
            TraceError: as for `check`; ENOMEM if there is no room for another one. Nothing has changed.
        """

    @abstractmethod
    def add_return(self, place: ProbePlace, acting: Consumer, maxactive: int = 0) -> None:
        """Makes a consumer act when calls of the function at a place return.

        Args:
            maxactive: how many calls, of all tasks, may be under way at once; 0: the default. It counts where they need room
                in the guest.

        Raises:
            TraceError: as for `check_return`. Nothing has changed.
        """

    @abstractmethod
    def remove(self, acting: Consumer) -> None:
        """Removes a consumer."""

# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to the race lab. Its litmus tests: emu.race.litmus.arch."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from emu.race.scenario.change import Change
from emu.race.scenario.fetch_model import FetchModel

__all__ = ["Branch", "RaceArch", "load"]


class Branch(NamedTuple):
    """The displacement of a jump or call, relative to the instruction's end, where it ends: little-endian, with a sign.

    Attributes:
        at: the offset of its first byte in the instruction.
        size: its number of bytes.
        distance: its value.
    """

    at: int
    size: int
    distance: int

    def goes_to(self, address: int) -> int:
        """Where an instruction at an address goes."""
        return address + self.at + self.size + self.distance


@dataclass(frozen=True)
class RaceArch:
    """One architecture.

    Attributes:
        fetch_models: the rules of instruction fetch, the strictest first.
        changes: the changes of a site.
        nops: several instructions as long as a call, which `Change.NOPS_TO_CALL` begins with; b"": there is no such change.
        places: offsets in a line of 64 bytes, one of each kind that a site can have. The module race_lab has sites there.
        machine_places: all offsets in a page at which that module has sites.
        agreement_places: offsets of the sites of the scenarios by which model and machine are compared.
        first_line: the address of the first site's line, in the model.
        targets: the addresses of what is called, in the model: by the only or first call, and by the second one. From every site,
            the two calls and the nops differ in each byte of the displacement.
        following: the bytes after a site, which may be part of a torn instruction. They affect its text, but no verdict.
        pair: the two instructions that together call a target from an address; None: there is no such call.
        protocols: the lab's own protocols that make sense for it (`protocol_text.PROTOCOLS`).
        leaves: whether an instruction of a site always goes elsewhere, and does not come back behind itself.
        codes: code before and after, of equal lengths, and code that may be executed in between: what random scenarios have
            instead of a change.
        second_target: the function that a machine's second calls go to; "": one of the module race_lab.
        branch: the displacement of a jump or call whose target is in the instruction; None: it is no such instruction. An
            architecture without this function has no scenario's own code on the machine.
        returns: an instruction that returns from a site's function, if the site has been left out.
        trampoline: whether the module race_lab has a trampoline, which can be freed.
        breakpoint_stack: what makes the guest's breakpoint handler begin on a stack of its own: a symbol of the kernel, an
            offset, and the bytes there; None: nothing does.
        breakpoint_iret: what makes the guest's breakpoint handler return by an instruction that unmasks NMIs, in the same form.
        landing: a function of the kernel that only returns; "": there is none.
    """

    fetch_models: Sequence[FetchModel]
    changes: Sequence[Change]
    nops: bytes
    places: tuple[int, ...]
    machine_places: tuple[int, ...]
    agreement_places: tuple[tuple[int, ...], ...]
    first_line: int
    targets: tuple[int, int]
    following: bytes
    pair: Callable[[int, int], tuple[bytes, bytes]] | None = None
    protocols: tuple[str, ...] = ()
    leaves: Callable[[bytes], bool] = lambda code: False
    codes: Sequence[tuple[bytes, bytes, tuple[bytes, ...]]] = ()
    second_target: str = ""
    branch: Callable[[bytes], Branch | None] | None = None
    returns: bytes = b""
    landing: str = ""
    trampoline: bool = False
    breakpoint_stack: tuple[str, int, bytes] | None = None
    breakpoint_iret: tuple[str, int, bytes] | None = None


def load(name: str) -> RaceArch:
    """The architecture's part; `name` is one of emu.architectures.ARCHITECTURES."""
    arch: RaceArch = importlib.import_module(f"emu.race.arch.{name}").ARCH
    return arch

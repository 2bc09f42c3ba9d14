# SPDX-License-Identifier: GPL-2.0-only
"""A scenario's own code (`old`, `new` and `right`) at sites of the guest.

Behind such a site stand instructions that return from the site's function, so that short jumps forward end there. Jumps and calls
that go farther go to functions of the guest that only return: their distances are the machine's own, as those of other calls.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emu.cpu.disassembly import disassemble
from emu.ftrace.sites.patching import Patch, Write
from emu.race.model.cpu_state import trampolines
from emu.race.scenario.protocol_steps import LabStep
from emu.race.scenario.scenario import LabProtocol, Scenario

__all__ = ["BEHIND", "LONGEST_CODE", "behind", "own_patches", "placed", "without_place"]

LONGEST_CODE = 16  # bytes
BEHIND = 16  # bytes of instructions that return


def behind(scenario: Scenario) -> bytes:
    """The code behind a site."""
    returns = scenario.race_arch.returns
    return returns * (BEHIND // len(returns))


def without_place(scenario: Scenario) -> str | None:
    """Why the guest cannot have a scenario's own code, as a sentence; None if it can."""
    arch, own = scenario.ftrace_arch.cpu, scenario.race_arch
    if own.branch is None:
        return f"on {scenario.arch} the guest's sites have the changes of 'change' alone"
    codes = (*scenario.codes, *scenario.right) if scenario.codes else scenario.right
    if any(len(code) > LONGEST_CODE for code in codes):
        return f"the guest has room for {LONGEST_CODE} bytes"
    if scenario.codes and trampolines(scenario) and not _lands(scenario, scenario.codes[0]):
        return "the old code calls nothing on the guest"
    for code in codes:
        reached = True
        for instruction in disassemble(arch, code, 0):
            branch = own.branch(instruction.code)
            goes_far = branch is not None and branch.goes_to(instruction.address) not in range(len(code) + BEHIND)
            if branch is not None and goes_far and (branch.size == 1 or code in scenario.right):
                return f"the guest has nothing where '{instruction.text}' goes"
            if reached and instruction.code == scenario.breakpoint:
                return "the guest's handler knows no breakpoints but those of the protocol"
            reached &= not own.leaves(instruction.code)
    return None


def _lands(scenario: Scenario, code: bytes) -> bool:
    """Whether code has a far jump or call."""
    return _landing(scenario, code, 0, 1 << 30) != _landing(scenario, code, 0, 1 << 29)


def own_patches(scenario: Scenario, sites: Sequence[int], landings: tuple[int, int]) -> list[Patch]:
    """The changes of sites at these addresses to and from a scenario's own code.

    `landings`: the functions to which far jumps and calls go, those of the old code and those of the new.
    """
    assert scenario.codes
    old, new = scenario.codes
    return [Patch(at, _landing(scenario, old, at, landings[0]), _landing(scenario, new, at, landings[1])) for at in sites]


def _landing(scenario: Scenario, code: bytes, at: int, target: int) -> bytes:
    """Code whose far jumps and calls go to a target."""
    found = bytearray(code)
    for instruction in disassemble(scenario.ftrace_arch.cpu, code, 0):
        branch = scenario.race_arch.branch(instruction.code) if scenario.race_arch.branch else None
        if branch is not None and branch.goes_to(instruction.address) not in range(len(code) + BEHIND):
            distance = target - (at + instruction.address + len(instruction.code))
            begin = instruction.address + branch.at
            found[begin : begin + branch.size] = distance.to_bytes(branch.size, "little", signed=True)
    return bytes(found)


def placed(scenario: Scenario) -> Scenario:
    """The scenario, whose protocol writes the guest's bytes where it would write those of its own code."""
    return dataclasses.replace(scenario, protocol=_Placed(scenario.protocol, scenario.codes)) if scenario.codes else scenario


@dataclass(frozen=True)
class _Placed:
    """A protocol for the guest. `codes`: the scenario's own code, of which the protocol may write parts in hexadecimal."""

    protocol: LabProtocol
    codes: tuple[bytes, bytes]

    def __call__(self, patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        return [self._of_guest(step, patches) for step in self.protocol(patches, breakpoint)]

    def _of_guest(self, step: LabStep, patches: Sequence[Patch]) -> LabStep:
        if not isinstance(step, Write):
            return step
        patch = next((p for p in patches if 0 <= step.address - p.address < len(p.old)), None)
        return step if patch is None else dataclasses.replace(step, new=bytes(self._bytes(step, patch)))

    def _bytes(self, step: Write, patch: Patch) -> Iterator[int]:
        old, new = self.codes
        for at, byte in enumerate(step.new, step.address - patch.address):
            if at >= len(old) or byte in (patch.old[at], patch.new[at]):
                yield byte
            else:
                yield patch.new[at] if byte == new[at] else patch.old[at] if byte == old[at] else byte

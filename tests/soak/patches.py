# SPDX-License-Identifier: GPL-2.0-only
"""Functions are replaced and restored while four CPUs call them: every program is correct, and few places are enough."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

from emu.cpu.disassembly import disassemble
from emu.ftrace.sites.live_patches import LivePatch
from emu.machine import Machine
from tests.lib.gnu_assembler import gnu_assembler
from tests.lib.trampoline_places import leave_places

__all__ = ["PatchFailure", "Patched", "replace"]

_CPUS = 4
_PROGRAMS = "ls /bin | sed s/[aeiou]/z/g; busy 6 2; threads -n 3 count; memhog 1; hackbench -g 1 -f 3 -l 10 > /dev/null; echo $?"
_LOAD = f"({_PROGRAMS}) > /busy.log 2>&1 &"
_PLACES = 8
_AT_ONCE = 6
_CHECKED = 25  # rounds between checks of the load's output
_ENDED = 3  # seconds in which the load ends
_LONGEST = 6_000  # cycles between two rounds
_TRACERS = ("function", "function_graph", "nop", "nop")
_DELAYS = (40, 4_000)  # rounds of a loop, so that a CPU is often in a place

# Equivalents of functions, with a delay: they continue behind the call site. The place has no room for more.
_BODIES = {
    "x86_64": "mov r11d, {{delay}}; again: dec r11d; jnz again; jmp {behind:#x}",
    "sparc64": "mov {{delay}}, %g1; again: subcc %g1, 1, %g1; bne again; nop; {save}; call {behind:#x}; nop",
    "riscv64": "li t1, {{delay}}; again: addi t1, t1, -1; bnez t1, again; jump {behind:#x}, t1",
}
_SITES = {"x86_64": ("nopl",), "sparc64": ("save", "nop", "nop"), "riscv64": ("nop",)}  # the first instructions of a function


class PatchFailure(AssertionError):
    """The guest made an error."""


@dataclass(frozen=True)
class Patched:
    """The results of a run. `digest`: of RAM at the end."""

    replaced: int
    functions: int
    waits: int  # how often it had to wait until no task was in released places
    digest: str


def replace(arch: str, rounds: int, seed: int) -> Patched:
    """Replaces a random function, or restores one, `rounds` times, half of them by each protocol.

    Raises:
        PatchFailure: the load was affected.
        GuestPanic: the guest panicked.
    """
    choose = random.Random(seed)
    names: set[str] = set()
    count = 0
    with gnu_assembler(arch), Machine(arch=arch, cpus=_CPUS, seed=seed, memory=64 << 20) as machine:
        right, called = _calls(machine)
        bodies = {name: body for name in called if (body := _body(machine, name))}
        trampolines = leave_places(machine, _PLACES)
        for protocol in machine.ftrace.arch.protocols:
            machine.patching.protocol = protocol
            standing: list[LivePatch] = []
            for n in range(-(-rounds // len(machine.ftrace.arch.protocols))):
                if n % _CHECKED == 0:
                    machine.run(_LOAD)
                if choose.random() < 0.05:
                    machine.tracefs.write("current_tracer", choose.choice(_TRACERS))
                if len(standing) == _AT_ONCE or (standing and choose.random() < 0.5):
                    standing.pop(choose.randrange(len(standing))).remove()
                else:
                    name = choose.choice(list(bodies))
                    if not any(patch.function == name for patch in standing):
                        standing.append(machine.patch(name, asm=bodies[name].format(delay=choose.choice(_DELAYS))))
                        names.add(name)
                        count += 1
                machine.advance(choose.randrange(_LONGEST))
                if (n + 1) % _CHECKED == 0:
                    while standing:
                        standing.pop().remove()
                    _check(machine, right)
        machine.tracefs.write("current_tracer", "nop")
        digest = hashlib.sha256(machine.board.ram).hexdigest()
        return Patched(count, len(names), trampolines.waits, digest)


def _calls(machine: Machine) -> tuple[bytes, list[str]]:
    """The load's output, and the functions that it calls."""
    machine.tracefs.write("current_tracer", "function")
    machine.run(_LOAD)
    right = _worked(machine)
    called = {line.split(": ")[1].split(" <-")[0] for line in machine.tracefs.read("trace").splitlines() if " <-" in line}
    machine.tracefs.write("current_tracer", "nop")
    return right, sorted(called)


def _body(machine: Machine, name: str) -> str | None:
    """An equivalent of a function; None: it is harder to make than for most."""
    try:
        site = machine.site(name)
    except LookupError:
        return None
    arch = machine.board.arch
    expected = _SITES[arch.name]
    found = machine.kernel.symbols.function_at(site.address)
    assert found is not None
    begin = found[0].address
    before = disassemble(arch, machine.kernel.memory.read(begin, site.address - begin + 8), begin)[: len(expected)]
    if [one.text.split()[0] for one in before] != list(expected):
        return None
    return _BODIES[arch.name].format(behind=begin + sum(len(one.code) for one in before), save=before[0].text)


def _check(machine: Machine, right: bytes) -> None:
    if (result := _worked(machine)) != right:
        raise PatchFailure(result.decode(errors="replace"))


def _worked(machine: Machine) -> bytes:
    """The load's output after it has ended."""
    machine.advance(_ENDED * machine.board.frequency)
    return machine.run("cat /busy.log").output

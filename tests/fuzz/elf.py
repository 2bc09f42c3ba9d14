# SPDX-License-Identifier: GPL-2.0-only
"""Damaged ELF files, made and tried inside the guest by its program `elffuzz`: many per boot.

Programs and interpreters: execve may return any error, and the program may then do anything to itself. Modules
are loaded with the parameter `load_only`: everything that looks at the file is done, and undone at the point where the module's
init would be called. What damaged code does when it runs says nothing about the loader.
"""

from __future__ import annotations

import re

from emu.machine import GuestPanic, Machine
from tests.fuzz import Outcome

__all__ = ["event_modules", "interpreters", "modules", "programs"]

_PARAMETERS = re.compile(r" (prepare_coming_module|destroy_params)\+")


def programs(arch: str, seed: int, numbers: range, kind: str = "program") -> Outcome:
    """Lets the kernel execute damaged programs."""
    try:
        return _try(kind, "/bin/true", "true", arch, seed, numbers)
    except GuestPanic as panic:
        return Outcome(findings=[f"{arch}: {kind}s {numbers} of seed {seed}: {panic}"])


def interpreters(arch: str, seed: int, numbers: range) -> Outcome:
    """Lets the kernel execute a program with a damaged interpreter."""
    return programs(arch, seed, numbers, "interpreter")


def event_modules(arch: str, seed: int, numbers: range) -> Outcome:
    """Like `modules`, for a module that has events and static keys."""
    return modules(arch, seed, numbers, "event_cost")


def modules(arch: str, seed: int, numbers: range, name: str = "sample_use") -> Outcome:
    """Lets the kernel load damaged modules; each is refused, or loaded and removed.

    As in Linux, modules are trusted: when their parameters are set and freed, the kernel calls functions that the module names.
    The effects are counted as "wild", and a new guest is started.
    """
    outcome = Outcome()
    while numbers:
        try:
            piece = _try("module", f"/lib/modules/{name}.ko", "modprobe sample_export", arch, seed, numbers)
        except GuestPanic as panic:
            piece = _after_panic(str(panic), arch, seed, numbers, name)
            numbers = range(0)
        outcome.add(piece)
        if not piece.counts["wild"]:
            break
        numbers = numbers[sum(piece.counts.values()) :]
    return outcome


def _after_panic(panic: str, arch: str, seed: int, numbers: range, name: str) -> Outcome:
    """The outcome of modules of which at least one makes the guest panic."""
    outcome = Outcome()
    if len(numbers) > 1:
        half = len(numbers) // 2
        for part in numbers[:half], numbers[half:]:
            outcome.add(modules(arch, seed, part, name))
    elif _is_wild(panic):
        outcome.counts["wild"] = 1
    else:
        outcome.findings.append(f"{arch}: {name} {numbers.start} of seed {seed}: {panic}")
    return outcome


def _is_wild(report: str) -> bool:
    return "load_module+" in report and bool(_PARAMETERS.search(report))


def _try(kind: str, file: str, prepare: str, arch: str, seed: int, numbers: range) -> Outcome:
    """Tries copies of a guest's file; seed and number determine the damage. `prepare` is a command to run first.

    Raises:
        GuestPanic: the guest panicked.
    """
    outcome = Outcome()
    first = (seed << 32) + numbers.start
    command = f"elffuzz {kind} {file} {first} {len(numbers)}"
    with Machine(arch=arch, cpus=1, seed=seed) as machine:
        machine.run(prepare)
        output = machine.run(command).output.decode(errors="replace")
        alive = machine.run("echo alive").output == b"alive\n"
        said = re.search(r"^(\d+) refused, (\d+) accepted, (\d+) killed\n\Z", output, re.MULTILINE)
        if said is None or not alive:
            outcome.findings.append(f"{arch}: {command}: {output[-500:]}")
            return outcome
        outcome.counts.update({name: int(said[n]) for n, name in enumerate(("refused", "accepted", "killed"), 1)})
        unexpected = machine.warnings
        if kind != "module":  # it executes damaged instructions
            unexpected = [warning for warning in unexpected if "is not known to" not in warning]
        if kind == "module" and outcome.counts["killed"]:
            outcome.counts["wild"] = outcome.counts.pop("killed")
            unexpected = [warning for warning in unexpected if "load_module+" in warning and not _is_wild(warning)]
        outcome.findings += [f"{arch}: {command}: {warning}" for warning in unexpected]
    return outcome

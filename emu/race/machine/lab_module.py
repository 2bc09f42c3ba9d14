# SPDX-License-Identifier: GPL-2.0-only
"""The guest's module race_lab: on each CPU, a thread and the NMI handler call functions chosen by the host.

The layout table describes struct race_lab_cpu; everything else is found by the module's symbols
(firmware/modules/race_lab).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from emu.kernel.kernel import Kernel

__all__ = ["LabModule", "LabSite"]

_MODULE = "race_lab"
_NOTHING = 0


@dataclass(frozen=True)
class LabSite:
    """An empty function and its call site.

    The site is one of the function's first instructions: which one, the architecture's compiler decides.
    """

    name: str
    function: int
    address: int


class LabModule:
    """The module race_lab in a kernel that has loaded it (`modprobe race_lab`).

    A CPU's thread calls one function repeatedly, initially one that only relaxes the CPU. Nothing else happens between
    two calls, and no CPU writes data that another one reads.

    Attributes:
        home: the instruction at which a CPU's thread is before each call.
        rest: a function that only relaxes the CPU.
        free: a function that frees the trampoline.
        trampoline: the address of the trampoline, a function that a CPU does not leave; 0: there is none.
        interrupt: a function that an upcall may run; it calls the function that is its argument.
        sites: by the offset in the site's name, in a page that begins a line of 64 bytes: at least two, each on its own line.

    Raises:
        LookupError: the kernel has not loaded the module.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._memory = kernel.memory
        self._cpus = kernel.modules.symbol(_MODULE, "race_lab_cpus")
        self._size = kernel.image.size("race_lab_cpu")
        self.rest = kernel.modules.symbol(_MODULE, "race_lab_rest")
        self.free = kernel.modules.symbol(_MODULE, "race_lab_free")
        self.interrupt = kernel.modules.symbol(_MODULE, "race_lab_interrupt")
        self._trampoline = kernel.modules.symbol(_MODULE, "race_lab_trampoline")
        self.trampoline = self._memory.words(self._trampoline, 1)[0]
        self._hold = kernel.modules.symbol(_MODULE, "race_lab_hold")
        self.home = kernel.modules.symbol(_MODULE, "race_lab_home")
        module = next(module for module in kernel.modules if module.name == _MODULE)
        known = {function.address: address for address in module.sites if (function := module.function_at(address)) is not None}
        sites: dict[int, list[LabSite]] = {}
        for function in module.functions:
            named = re.fullmatch(r"race_site_(\d+)[a-z]", function.name)
            if named:
                site = LabSite(function.name, function.address, known.get(function.address, function.address))
                sites.setdefault(int(named[1]), []).append(site)
        self.sites: Mapping[int, list[LabSite]] = sites

    @property
    def is_freed(self) -> bool:
        """Whether the trampoline has been freed."""
        return not self._memory.words(self._trampoline, 1)[0]

    def hold(self, *, on: bool) -> None:
        """Whether CPUs stay in the trampoline."""
        self._memory.write_word(self._hold, on, 4)

    def visit(self, cpu: int, site: LabSite | None) -> None:
        """Makes a CPU's thread visit a site repeatedly. None: it only passes `home`."""
        self.call(cpu, self.rest if site is None else site.function)

    def call(self, cpu: int, function: int) -> None:
        """Makes a CPU's thread call a function of the module repeatedly."""
        self._set(cpu, "visit", function)

    def visit_in_nmi(self, cpu: int, site: LabSite | None) -> None:
        """Makes each NMI of a CPU visit a site once. None: no site."""
        self._set(cpu, "nmi_visit", _NOTHING if site is None else site.function)

    def _set(self, cpu: int, member: str, function: int) -> None:
        self._memory.set_member(self._cpus + cpu * self._size, f"race_lab_cpu.{member}", function)

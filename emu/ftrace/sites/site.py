# SPDX-License-Identifier: GPL-2.0-only
"""One call site, as users study it."""

from __future__ import annotations

from emu.cpu.disassembly import disassemble
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import enumeration
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.kernel.kernel import Kernel

__all__ = ["Site"]


class Site:
    """The call site of a function. All attributes are looked up when they are read.

    >>> machine.site("vfs_read")
    <site of vfs_read at 0xffffffff8102f3c0: call ftrace_caller, wanted by function>

    When the function's module has been unloaded, every attribute but `address` raises LookupError.

    Args:
        function: the function's name, or an address in it.

    Attributes:
        address: the site's address in the kernel's mapping.

    Raises:
        LookupError: there is no such function, there are several, or it has no site.
    """

    def __init__(self, kernel: Kernel, ftrace: PatchedFtrace, top: TraceArray, function: str | int) -> None:
        self._kernel = kernel
        self._ftrace = ftrace
        self._top = top
        self.address = self._of_name(function) if isinstance(function, str) else self._in_function(function)

    def __repr__(self) -> str:
        wanted = f", wanted by {' and '.join(self.wanted_by)}" if self.wanted_by else ""
        return f"<site of {self.name} at {self.address:#x}: {self.state}{wanted}>"

    @property
    def name(self) -> str:
        """The function's name, followed by ` [module]` if it belongs to a module."""
        return self._ftrace.sites.functions.label(self._number)

    @property
    def code(self) -> bytes:
        """The bytes in memory now. A CPU may still execute earlier bytes.

        Setting them acts like a stray store: no CPU and no tracer is told.

        Raises:
            ValueError: when they are set: their number is not a site's size.
        """
        return self._kernel.memory.read(self.address, len(self._ftrace.arch.nop))

    @code.setter
    def code(self, code: bytes) -> None:
        if len(code) != len(self._ftrace.arch.nop):
            raise ValueError(f"{len(code)} bytes: a site has {len(self._ftrace.arch.nop)}")
        self._kernel.board.write_code(self._kernel.memory.physical(self.address), code)

    @property
    def disassembly(self) -> str:
        """The disassembly of the bytes: one instruction, or several, separated by semicolons, while the site is half patched."""
        return "; ".join(one.text for one in disassemble(self._kernel.board.arch, self.code, self.address))

    @property
    def state(self) -> str:
        """What the bytes are.

        `nop`; `call` with the name of ftrace_caller or another function; `breakpoint`, with any tail; `changing`: other bytes
        while patching is under way there; `unexpected`: other bytes at any other time.
        """
        self._number  # noqa: B018  # raises if the site no longer exists
        arch, code = self._ftrace.arch, self.code
        if code == arch.nop:
            return "nop"
        for callback in Callback:
            if code == arch.call(self.address, self._kernel.image.symbol(callback.value)):
                return f"call {callback.value}"
        target = self._ftrace.direct_calls.of(self.number)
        if target and code == arch.call(self.address, target):
            return f"call {self._kernel.symbols.describe(target)}"
        if arch.breakpoint is not None and code.startswith(arch.breakpoint.code):
            return "breakpoint"
        return "changing" if self._ftrace.driver.is_changing(self.address) else "unexpected"

    @property
    def wanted_by(self) -> tuple[str, ...]:
        """The users that want the site to call: tracers and commands (an instance's with its directory, as in
        `instances/foo: function`), kprobes, a live patch, and a direct call."""
        number = self._number
        arrays = {"": self._top} | {f"instances/{name}: ": array for name, array in self._top.instances.items()}
        wanted = []
        for where, array in arrays.items():
            ops = array.ops
            if ops.traced()[number]:
                wanted.append(f"{where}{ops.tracer.name}")
            wanted += [f"{where}{command}" for command in ops.probes.of(int(ops.filter.functions.numbers[number]))]
        if self._ftrace.kprobes.sites(self._ftrace.sites.functions)[number]:
            wanted.append("a kprobe")
        if self._ftrace.live_patches.of(self.number) is not None:
            wanted.append("a live patch")
        if self._ftrace.direct_calls.of(self.number):
            wanted.append("a direct call")
        return tuple(wanted)

    @property
    def number(self) -> int:
        """The function's number, which is never reused for another function (filters.Functions)."""
        return int(self._ftrace.sites.functions.numbers[self._number])

    @property
    def _number(self) -> int:
        """The site's present index, which changes when modules are unloaded."""
        try:
            return self._ftrace.sites.at(self.address)
        except IndexError:
            raise LookupError(f"there is no site at {self.address:#x} any more: its module has been unloaded") from None

    def _of_name(self, name: str) -> int:
        sites = self._ftrace.sites
        found = [int(sites.addresses[n]) for n, known in enumerate(sites.functions.names) if known == name]
        if len(found) > 1:
            which = enumeration([f"{address:#x}" for address in found], "or")
            raise LookupError(f"{len(found)} functions are called '{name}': say which by address, {which}")
        if not found:
            raise LookupError(f"there is no function '{name}' that can be traced{sites.functions.suggestion(name, waits=False)}")
        return found[0]

    def _in_function(self, address: int) -> int:
        found = self._kernel.symbols.function_at(address)
        if found is None:
            raise LookupError(f"{address:#x} is in no function")
        function = found[0]
        for site in map(int, self._ftrace.sites.addresses):
            if function.address <= site < function.address + max(function.size, 1):
                return site
        raise LookupError(f"{function.name} cannot be traced: it has no call site")

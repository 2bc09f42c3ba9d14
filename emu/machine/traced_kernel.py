# SPDX-License-Identifier: GPL-2.0-only
"""What can be done to the functions of emu's own kernel: look at them, probe them, replace them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.sites.live_patches import LivePatch, Replaced
from emu.ftrace.sites.patching_driver import BadProtocol, Driver
from emu.ftrace.sites.site import Site
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.kernel.kernel import Kernel
from emu.machine.running import Running

if TYPE_CHECKING:
    from emu.ftrace.probes.host_probes import Hit, HostProbe

__all__ = ["TracedKernel"]


class TracedKernel:
    """Attributes:
    kernel, ftrace, trace_array: the guest's kernel, the code that patches its call sites, and the top trace array.
    """

    kernel: Kernel
    ftrace: PatchedFtrace
    trace_array: TraceArray
    _running: Running

    def settle(self, limit: int | None = None, host_limit: float | None = None) -> None:
        """Runs the machine until all that tracefs asked for has been done: patching, and work of the guest's kernel.

        Args:
            limit: nanoseconds of virtual time that it may take.
            host_limit: seconds of the host's time that it may take.

        Raises:
            GuestPanic: as `run`; or patching does not end: a step is not answered for 5,000,000 cycles, or every CPU sleeps.
            LimitReached, PoweredOff: as `run`.
            BadProtocol: the patching protocol is a function that cannot be used (docs/races.md). It is a TraceError.
        """
        self._running.settle(limit, host_limit)

    def site(self, function: str | int) -> Site:
        """The call site of a function, given by its name or by an address in it.

        Raises:
            LookupError: there is no such function, there are several, or it cannot be traced.
        """
        self._running.check_open()
        return Site(self.kernel, self.ftrace, self.trace_array, function)

    def probe(
        self, place: str | int, callback: Callable[[Hit], object], *, args: str | Sequence[str] = (), returns: bool = False
    ) -> HostProbe:
        """Calls a Python function whenever a CPU reaches an instruction of the kernel, or when a function returns.

        >>> with m.probe("vfs_read", lambda hit: print(hit.comm, hit.args["count"]), args="count=$arg3:u64"):
        ...     m.run("cat /etc/passwd")

        The machine stands still while the function runs. The CPU is before the instruction, and continues with the registers
        as the function leaves them. If the function raises an exception, the method that runs the machine raises it; the
        machine can then go on. The function may look at everything and remove probes. It may not run the machine or write to
        tracefs: that is a RuntimeError.

        Args:
            place: `vfs_read`, `vfs_read+0x10`, `module:function`, or an address. A module need not be loaded yet.
            callback: the function to call.
            args: the values that the function gets as `args`, in kprobe_events' syntax: `fd=%di name=+0(%si):string`.
            returns: call it when the function at `place` returns. A `place` that ends with `%return` means the same.

        Raises:
            TraceError: ENOENT, EILSEQ, EINVAL: the place cannot be probed, or an argument is wrong; ENOMEM.
            GuestPanic, LimitReached, PoweredOff, BadProtocol: as `settle`.
        """
        self._running.check()
        if self._running.probes is None:
            from emu.ftrace.probes.host_probes import HostProbes

            arch, shared, update = self.ftrace.arch, self.ftrace.globals, self.ftrace.update_sites
            registers, handler = arch.probing().registers, arch.probe_handlers(shared.guest).host
            settle = self._running.settle
            self._running.probes = HostProbes(self.kernel, registers, handler, shared, shared.kprobe_events, update, settle)
        probe = self._running.probes.add(place, callback, args.split() if isinstance(args, str) else args, returns)
        self.settle()
        return probe

    def patch(self, function: str | int, *, asm: str | None = None, to: str | None = None) -> LivePatch:
        """Replaces a function of the kernel or of a module while the guest runs: from now on, calls go to the replacement.

        >>> with m.patch("sys_getpid", asm="mov eax, 42; ret"):
        ...     m.run("getpid")

        Tracers still see calls of the function. Calls that are under way end in the old code. If the function's module is
        unloaded, the patch goes with it.

        Args:
            function: its name, or an address in it.
            asm: the new code, in the architecture's assembly language (of two syntaxes, Intel's is meant). It is called as the
                function is, and returns as the function does. Symbols of the kernel and its modules may be used; labels end
                with a colon. It must not sleep, nor call what does: `to` is for that.
            to: instead of `asm`, the name of another function, with the same parameters.

        Raises:
            LookupError: there is no such function, there are several, or it has no call site.
            TraceError: EBUSY if the function is replaced already or `ftrace_enabled` is false; EINVAL if it cannot be
                replaced; ENODEV if tracing has failed; ENOMEM if there is no room for the code.
            ValueError: the code cannot be assembled.
            TypeError: both or neither of `asm` and `to` are given.
            GuestPanic, LimitReached, PoweredOff, BadProtocol: as `settle`.
        """
        self._running.check()
        if (asm is None) == (to is None):
            raise TypeError("a function is replaced either by `asm` or by `to`")
        patches, site = self.ftrace.live_patches, self.site(function)
        replaced = Replaced(site.name, site.number, site.address)
        code = patches.detour(replaced, to) if to is not None else patches.assembled(asm or "")
        patch = self.ftrace.replace(replaced, code, self.settle)
        try:
            self.settle()
        except BadProtocol:
            patches.remove(patch)
            raise
        return patch

    @property
    def patching(self) -> Driver:
        """The patching driver: how call sites are changed, and how far a change is."""
        return self.ftrace.driver

    @property
    def ftrace_enabled(self) -> bool:
        """`/proc/sys/kernel/ftrace_enabled`: while it is false no function is traced, whatever tracefs says.

        Raises:
            GuestPanic, PoweredOff, BadProtocol: as `settle`, when the value is set.
        """
        self._running.check_open()
        return self.ftrace.enabled

    @ftrace_enabled.setter
    def ftrace_enabled(self, on: bool) -> None:
        self._running.check()
        self.ftrace.set_enabled(on)
        self.settle()

    @property
    def stack_tracer_enabled(self) -> bool:
        """`/proc/sys/kernel/stack_tracer_enabled`: while it is true, traced functions measure the depth of their stack.

        Raises:
            GuestPanic, PoweredOff, BadProtocol: as `settle`, when the value is set.
        """
        self._running.check_open()
        return self.ftrace.stack_tracer_enabled

    @stack_tracer_enabled.setter
    def stack_tracer_enabled(self, on: bool) -> None:
        self._running.check()
        if on != self.stack_tracer_enabled:
            self.settle()  # sites may still be changing, and change once more then
            self.ftrace.set_stack_tracer(on)
            self.settle()

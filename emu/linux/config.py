# SPDX-License-Identifier: GPL-2.0-only
"""What a machine with an unmodified Linux is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DEFAULT_COMMAND_LINE", "LinuxConfig", "LinuxParameters"]

# Programs at the same addresses each time they run need no new translations: fork and exec are three times as fast.
DEFAULT_COMMAND_LINE = "console=ttyS0 norandmaps rdinit=/.emu/init"


@dataclass(frozen=True)
class LinuxConfig:
    """Attributes:
    kernel: a bzImage or an ELF vmlinux. Default: the newest of /boot, or of those that `emu linux fetch` has brought.
    cpus: how many CPUs, 1 to 16.
    memory: bytes of RAM.
    seed: varies the interleaving of the CPUs, and what the kernel's random numbers begin with.
    quantum: how many cycles a CPU may run ahead of the others.
    frequency: of the CPUs, in Hz.
    command_line: the kernel's parameters, after DEFAULT_COMMAND_LINE. A later parameter wins: `norandmaps` is undone by
        `kernel.randomize_va_space=2`.
    rootfs: a folder, a tar or a cpio whose tree becomes the root. Default: a static busybox of the host.
    initrd: a file that the kernel unpacks as it is, before emu's own part of the root.
    timing: the timing model: `static` is the only one.
    """

    kernel: Path | str | None = None
    cpus: int = 2
    memory: int = 512 << 20
    seed: int = 0
    quantum: int = 20_000
    frequency: int = 1_000_000_000
    command_line: str = ""
    rootfs: Path | str | None = None
    initrd: Path | str | None = None
    timing: str | None = None

    def recorded(self) -> dict[str, str | int]:
        """The fields that a recording has of the configuration, by name. What comes from files is not among them."""
        numbers = {name: getattr(self, name) for name in ("cpus", "memory", "seed", "quantum", "frequency")}
        return {"guest": "linux", **numbers, "command_line": self.command_line}

    @property
    def whole_command_line(self) -> str:
        """What the kernel gets."""
        return f"{DEFAULT_COMMAND_LINE} {self.command_line}".rstrip()


@dataclass(frozen=True)
class LinuxParameters(LinuxConfig):
    """Attributes: those of LinuxConfig, and
    fresh: boots, whether or not a machine like this has been kept on disk, and keeps none.
    console: called with what the kernel and others write to the console.
    output, errors: called with what commands write to their standard output and standard error.
    warn: called with warnings. Default: they are kept in `warnings`.
    boot_limit: nanoseconds of virtual time that the guest may take to boot.
    boot_host_limit: seconds of the host's time that the boot may take.
    all_functions: lets also functions be traced that ftrace must not trace, such as those of ftrace itself.
    prepare: called with the machine before the kernel's first instruction, so that it can be traced from there. Such a machine
        boots in any case, and is not kept.
    booting: called now and then while the guest boots, with the number of CPUs that are up.
    """

    fresh: bool = False
    console: Callable[[bytes], None] | None = None
    output: Callable[[bytes], None] | None = None
    errors: Callable[[bytes], None] | None = None
    warn: Callable[[str], None] | None = None
    boot_limit: int | None = None
    boot_host_limit: float | None = None
    all_functions: bool = False
    prepare: Callable[..., None] | None = None
    booting: Callable[[int], None] = lambda cpus: None

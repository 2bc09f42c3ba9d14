# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a machine, put together: board, kernel, mounts, ftrace."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from emu.cpu import arch as cpu_arch
from emu.cpu.board import Board
from emu.cpu.devices import interrupt_unseen
from emu.cpu.ramdisk import RamDisk
from emu.cpu.smi import Smi
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.guest.boot_options import BootOptions
from emu.ftrace.guest.own_globals import OwnGlobals
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.ftrace.tracefs import TraceFS, build_kprobes_tree, build_own_tree
from emu.ftrace.tracers.tracer_cost import use_tracer_cost
from emu.installation import image_directory
from emu.kernel import arch as kernel_arch
from emu.kernel.console import Console
from emu.kernel.files.served_tree import ServedTree
from emu.kernel.files.share import Share
from emu.kernel.files.shared_folder import SharedFolder
from emu.kernel.host_tree import HostTree
from emu.kernel.image import read_image
from emu.kernel.kernel import Kernel
from emu.kernel.program_files import ProgramFiles
from emu.kernel.userland import BadUserland, Userland
from emu.machine_config import MachineConfig

__all__ = ["Parts"]

_SMALLEST_MEMORY = 32 << 20
_EMPTY_DISK = 16 << 20


class Parts:
    """The parts of a machine whose kernel is loaded but has not executed its first instruction.

    Args:
        config: the machine's configuration.
        console: called with what the guest writes.
        warn: called with warnings.
        opened: closes what the constructor opens.

    Attributes:
        set_up: lines for the guest's shell that run before the first command, each with the error to report if it fails.
        tracefs, kprobes: the trees that the guest mounts.

    Raises: as `Machine`, except for errors that need a running guest.
    """

    def __init__(
        self, config: MachineConfig, console: Callable[[bytes], None], warn: Callable[[str], None], opened: ExitStack
    ) -> None:
        self._warn, self._opened, arch, memory = warn, opened, config.arch, config.memory
        hardware = cpu_arch.load(arch)
        if memory < _SMALLEST_MEMORY or memory % hardware.page_size:
            raise ValueError(f"{memory} bytes of memory: at least {_SMALLEST_MEMORY >> 20} MiB, in whole pages, are needed")
        kernels, directory = kernel_arch.load(arch), image_directory(arch)
        if config.image is None and not (directory / "vmlinux").exists():
            raise ValueError(f"there is no kernel image for {arch}")
        self._image = read_image(Path(config.image or directory / "vmlinux"), machine=kernels.elf_machine)
        shares = [Share.parse(share) if isinstance(share, str) else share for share in config.shares]
        ramdisk = RamDisk(_EMPTY_DISK) if config.ramdisk is None else config.ramdisk
        self.ramdisk = opened.enter_context(RamDisk.of_file(Path(ramdisk)) if isinstance(ramdisk, Path | str) else ramdisk)
        timing = config.timing or hardware.default_timing
        board = Board(hardware, config.cpus, memory, config.quantum, config.seed, config.frequency, timing, config.cpu_model)
        self.board = opened.enter_context(closing(board))
        if config.smi is not None:
            interrupt_unseen(board, Smi.parse(config.smi) if isinstance(config.smi, str) else config.smi)
        self.kernel = Kernel(board, kernels, self._image, Console(console), warn, self.ramdisk)
        self.set_up: dict[str, str] = {}
        self._command_line = config.command_line
        initramfs = (directory / "initramfs.cpio").read_bytes()
        self.host_tree = self._serve_host_tree(config, initramfs) if config.host_tree else None
        if config.userland is not None:
            self._serve_userland(config.userland, arch, kernels.elf_machine)
        self._serve_shares(shares)
        opened.callback(self.kernel.file_server.close)
        mounted = [(share.mount_point, share.directory) for share in shares]
        self.program_files = ProgramFiles(initramfs, mounted, self.host_tree.folders if self.host_tree is not None else ())
        if board.timing is not None:
            board.timing.undecoded = self._undecoded
            board.timing.load(self._image.digest)
            opened.callback(self.save_timing)
        self.kernel.load(initramfs, self._command_line, config.seed)
        self._attach_ftrace(config)

    def _serve_host_tree(self, config: MachineConfig, initramfs: bytes) -> HostTree:
        tree = self._opened.enter_context(closing(HostTree(config.arch, initramfs)))
        if config.userland is not None:
            raise BadUserland("the host's tree and another userland do not go together")
        for name, root in tree.trees:
            self.kernel.file_server.serve(name, ServedTree(root, read_only=True))
        self._command_line = f"{tree.parameters} {self._command_line}".rstrip()
        self.set_up[tree.set_up] = "the host's tree cannot be mounted"
        return tree

    def _serve_userland(self, text: str, arch: str, elf_machine: str) -> None:
        programs = self._opened.enter_context(closing(Userland.parse(text, arch, elf_machine)))
        self.kernel.file_server.serve(programs.name, ServedTree(programs.root, read_only=True))
        self._command_line = f"{programs.parameters} {self._command_line}".rstrip()
        self.set_up[programs.set_up] = f"{programs.path} cannot be the userland"

    def _serve_shares(self, shares: list[Share]) -> None:
        for number, share in enumerate(shares):
            folder = self._opened.enter_context(closing(SharedFolder(share.directory, writable=share.writable)))
            self.kernel.file_server.serve(f"share{number}", ServedTree(folder.root, read_only=not share.writable))
            self.set_up[share.mounting(f"share{number}")] = f"cannot mount {share.directory} at {share.mount_point}"

    def _attach_ftrace(self, config: MachineConfig) -> None:
        tracing = ftrace_arch.load(config.arch)
        trace_globals = OwnGlobals(self.kernel, tracing, self._warn, config.seed)
        use_tracer_cost(trace_globals.records, config.tracer_cost)
        self.ftrace = PatchedFtrace(self.kernel, tracing, trace_globals, self._warn)
        if config.patching is not None:
            self.ftrace.driver.protocol = config.patching
        self.trace_array = TraceArray(self.ftrace, Recorder(self.kernel, trace_globals))
        self.tracefs = build_own_tree(self.trace_array, self.ftrace)
        self.kprobes = build_kprobes_tree(self.ftrace, trace_globals)

    def obey_command_line(self) -> BootOptions:
        """Prepares the sites, and obeys the command line's tracing parameters that apply before the first instruction."""
        self.ftrace.sites.initialise()
        self.ftrace.keys.check()
        options = BootOptions(self.trace_array, self.ftrace, TraceFS(self.tracefs), self.kernel.log, self._warn)
        options.obey(self._command_line)
        return options

    def save_timing(self) -> None:
        """Saves the timing of the kernel's blocks for other runs, if the timing model looks at blocks."""
        if self.board.timing is not None:
            self.board.timing.save(self._image.digest)

    def _undecoded(self, address: int, code: bytes) -> None:
        model = self.board.timing_model.cpu_model
        self._warn(f"the block at {address:#x} ({code.hex(' ')}) is not known to {model}, and costs what the static model says")

# SPDX-License-Identifier: GPL-2.0-only
"""A machine: its parts put together, booted, and run."""

from emu.cpu.ramdisk import RamDisk
from emu.cpu.smi import Smi
from emu.cpu.snapshot import Checkpoint, Unsaveable
from emu.ftrace.errors import TraceError
from emu.ftrace.sites.live_patches import LivePatch
from emu.ftrace.sites.patching_driver import BadProtocol
from emu.guest_machine import BadCommand, Completed, GuestMachine, Input, Terminal
from emu.installation import image_directory
from emu.kernel.endings import GuestPanic, PoweredOff
from emu.kernel.files.share import Share
from emu.kernel.host_tree import BadHostTree
from emu.kernel.image import BadImage
from emu.kernel.limits import LimitReached
from emu.kernel.userland import BadUserland
from emu.machine.machine import Machine
from emu.machine_config import MachineConfig

__all__ = [
    "BadCommand", "BadHostTree", "BadImage", "BadProtocol", "BadUserland", "Checkpoint", "Completed", "GuestMachine",
    "GuestPanic", "Input", "LimitReached", "LivePatch", "Machine", "MachineConfig", "PoweredOff", "RamDisk", "Share", "Smi",
    "Terminal", "TraceError", "Unsaveable", "image_directory",
]  # fmt: skip

# SPDX-License-Identifier: GPL-2.0-only
"""The host's side of the guest's host calls (docs/board.md) that Python answers."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

from emu.kernel.modules import BadModule, Module

if TYPE_CHECKING:
    from emu.cpu.cpu import Cpu
    from emu.kernel.kernel import Kernel

__all__ = ["HANDLERS", "Handler"]

_LONGEST_STRING = 4096
_MOST_SEGMENTS = 64  # of a command to the RAM disk
Handler = Callable[["Kernel", "Cpu", list[int]], int | None]


def _string(cpu: Cpu, address: int) -> str:
    """The NUL-terminated string at a guest address, cut where it leaves mapped memory."""
    text = bytearray()
    while len(text) < _LONGEST_STRING:
        try:
            byte = cpu.read(address + len(text), 1)
        except LookupError:
            break
        if byte == b"\0":
            break
        text += byte
    return text.decode(errors="replace")


def _console_write(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> None:
    address, length = arguments[:2]
    data = cpu.read(address, length)
    cpu.answer(length)  # the guest has written it, whatever becomes of it here
    kernel.console.write(data)


def _store(kernel: Kernel, cpu: Cpu, address: int, data: bytes) -> int:
    for offset, byte in enumerate(data):
        physical = cpu.translate(address + offset)
        if physical is None:
            return -errno.EFAULT
        kernel.board.ram[physical] = byte
    return len(data)


def _console_read(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    address, size = arguments[:2]
    data = kernel.console.read(size)
    if data is None:
        return -errno.EAGAIN
    return _store(kernel, cpu, address, data)


def _console_size(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    rows, columns = kernel.console.size
    return min(rows, 0xFFFF) << 16 | min(columns, 0xFFFF)


def _power_off(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> None:
    kernel.powered_off(arguments[0] & 0xFF)


def _panic(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> None:
    kernel.panicked(cpu, _string(cpu, arguments[0]), arguments[1])


def _cpu_start(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    index, entry, argument = arguments[:3]
    if index >= len(kernel.board.cpus) or kernel.board.cpus[index].running:
        return -errno.EINVAL
    kernel.board.cpus[index].start(entry, argument, cpu.cycles)
    return 0


def _cpu_online(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    kernel.cpu_online(cpu, arguments[0])
    return 0


def _upcall_next(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    upcall = kernel.upcalls.begin(cpu)
    if upcall is None:
        return 0
    word = kernel.image.byte_order.replace("<", "little").replace(">", "big")
    data = b"".join(value.to_bytes(8, word) for value in upcall)  # type: ignore[arg-type]  # one of two literals
    return 1 if _store(kernel, cpu, arguments[0], data) > 0 else -errno.EFAULT


def _upcall_done(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    kernel.upcalls.end(cpu, arguments[0])
    return 0


def _flush_icache_page(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    if arguments[0] >= kernel.board.memory:
        return -errno.EINVAL
    kernel.board.flush_page(arguments[0])
    return 0


def _breakpoint(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    return int(kernel.on_breakpoint(cpu, arguments[0]))


def _command_read(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    address, size = arguments[:2]
    line = kernel.next_command(size)
    if line is None:
        return -errno.EAGAIN
    return _store(kernel, cpu, address, line)


def _command_done(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    kernel.command_done(arguments[0])
    return 0


def _command_given_up(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    return int(kernel.command_given_up())


def _bug(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    kernel.warned(cpu, _string(cpu, arguments[0]), arguments[1])
    return 0


def _file_request(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    return kernel.file_server.request(cpu, arguments[0])


def _file_answered(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    return kernel.file_server.next_answered()


def _file_cancel(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    return kernel.file_server.cancel(arguments[0])


def _block_info(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    return kernel.disk.sectors


def _block_submit(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    """block_submit(command, tag): see struct ramdisk_command in firmware/include/emu/ramdisk.h."""
    order = kernel.image.byte_order
    sector, operation, count = struct.unpack(f"{order}3Q", cpu.read(arguments[0], 24))
    if count > _MOST_SEGMENTS:
        return -errno.EINVAL
    words = struct.unpack(f"{order}{2 * count}Q", cpu.read(arguments[0] + 24, 16 * count))
    segments = list(zip(words[::2], words[1::2], strict=True))
    kernel.disk.submit(kernel.board.ram, cpu.cycles, arguments[1], operation, sector, segments)
    kernel.disk_interrupt()
    return 0


def _block_completed(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    done = kernel.disk.completed(cpu.cycles)
    if done is None:
        kernel.disk_interrupt()
        return -errno.EAGAIN
    tag, status = done
    return tag | status << 16


def _show_regs(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    """show_regs(registers, text, size, oops): what a report says of where the kernel was; of an oops the host is warned."""
    registers, address, size, oops = arguments
    text = kernel.show_regs(cpu, registers, bool(oops)).encode()[:size]
    return _store(kernel, cpu, address, text) if text else 0


def _trace_printk(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    """trace_printk(ip, text, size, how often it has itself disabled preemption)."""
    ip, address, size, disabled = arguments
    kernel.on_trace_printk(cpu, ip, cpu.read(address, min(size, _LONGEST_STRING)), disabled)
    return 0


def _ftrace_enabled(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    """ftrace_enabled(0 or 1), or 2 to be told which it is."""
    answer = kernel.on_ftrace_enabled(bool(arguments[0]) if arguments[0] < 2 else None)
    return -errno.EAGAIN if answer is None else int(answer)


def _module_init(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    try:
        module = kernel.modules.read(arguments[0])
        kernel.on_module(module)
    except BadModule:
        return -errno.EINVAL
    kernel.modules.add(module)
    return 0


def _known_module(kernel: Kernel, address: int) -> Module:
    module = kernel.modules.get(address)
    if module is None:
        raise LookupError(f"there is no module at {address:#x}")
    return module


def _module_enable(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    return 0 if kernel.on_module_enable(_known_module(kernel, arguments[0])) else -errno.EAGAIN


def _module_free_mem(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    address, start, end = arguments[:3]
    module = _known_module(kernel, address)
    if not kernel.on_module_free(module, range(start, end)):
        return -errno.EAGAIN
    module.init_freed |= module.init is not None and start <= module.init.base < end
    return 0


def _module_release(kernel: Kernel, cpu: Cpu, arguments: list[int]) -> int:
    if not kernel.on_module_free(_known_module(kernel, arguments[0]), None):
        return -errno.EAGAIN
    kernel.modules.remove(arguments[0])
    return 0


# By the names the image's layout table gives the numbers. A handler returns the call's result; None if it has
# answered itself, or the guest does not go on.
HANDLERS: dict[str, Handler] = {
    "HC_CONSOLE_WRITE": _console_write,
    "HC_CONSOLE_READ": _console_read,
    "HC_CONSOLE_SIZE": _console_size,
    "HC_POWER_OFF": _power_off,
    "HC_PANIC": _panic,
    "HC_CPU_START": _cpu_start,
    "HC_CPU_ONLINE": _cpu_online,
    "HC_UPCALL_NEXT": _upcall_next,
    "HC_UPCALL_DONE": _upcall_done,
    "HC_FLUSH_ICACHE_PAGE": _flush_icache_page,
    "HC_BREAKPOINT": _breakpoint,
    "HC_COMMAND_READ": _command_read,
    "HC_COMMAND_DONE": _command_done,
    "HC_COMMAND_GIVEN_UP": _command_given_up,
    "HC_BUG": _bug,
    "HC_FILE_REQUEST": _file_request,
    "HC_FILE_ANSWERED": _file_answered,
    "HC_FILE_CANCEL": _file_cancel,
    "HC_BLOCK_INFO": _block_info,
    "HC_BLOCK_SUBMIT": _block_submit,
    "HC_BLOCK_COMPLETED": _block_completed,
    "HC_SHOW_REGS": _show_regs,
    "HC_TRACE_PRINTK": _trace_printk,
    "HC_FTRACE_ENABLED": _ftrace_enabled,
    "HC_MODULE_INIT": _module_init,
    "HC_MODULE_ENABLE": _module_enable,
    "HC_MODULE_FREE_MEM": _module_free_mem,
    "HC_MODULE_RELEASE": _module_release,
}

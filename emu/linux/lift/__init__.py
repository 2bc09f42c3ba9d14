# SPDX-License-Identifier: GPL-2.0-only
"""Translates code of the guest's kernel to functions of the host, which read the guest's memory and write none of it.

A tracepoint that nobody uses is a nop. What the kernel would do there if somebody did, the host does: it evaluates the code
behind the nop up to the call of the tracepoint's functions (`site`), and such a function, which stores an event's fields
(`probe`). So an event has the fields that the kernel's own code gives it, and the guest executes nothing.

`arch` knows the instructions. There is one.
"""

from emu.linux.lift import x86_64_lifter as arch

__all__ = ["arch"]

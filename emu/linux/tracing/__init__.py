# SPDX-License-Identifier: GPL-2.0-only
"""Traces a Linux guest from outside (docs/tracing-from-outside.md): the host looks, and nothing of the guest changes.

`arch` is the architecture of the guests. There is one.
"""

from emu.linux.tracing import x86_64 as arch

__all__ = ["arch"]

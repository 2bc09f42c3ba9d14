# SPDX-License-Identifier: GPL-2.0-only
"""What stack traces need before native code can record them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from emu.ftrace.native.arch import StackCallbacks

__all__ = ["StackTraces"]


class StackTraces(ABC):
    """Prepares native code to unwind a kernel's stacks. Nothing is prepared before the first stack trace is needed."""

    @abstractmethod
    def use(self) -> None:
        """Must be called before native code records a stack trace."""

    @abstractmethod
    def callbacks(self) -> StackCallbacks:
        """The native functions that record stack traces."""

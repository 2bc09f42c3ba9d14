# SPDX-License-Identifier: GPL-2.0-only
"""Exit statuses of the `emu` command itself. Every other status is that of the guest's command."""

__all__ = ["BAD_INPUT", "BROKEN_PIPE", "GUEST_DIED", "INTERRUPTED", "TIMED_OUT"]

BAD_INPUT = 2
TIMED_OUT = 124  # as timeout(1) has it
GUEST_DIED = 125
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
BROKEN_PIPE = 141  # 128 + SIGPIPE

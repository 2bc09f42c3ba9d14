# SPDX-License-Identifier: GPL-2.0-only
"""Exit statuses of the `emu` command itself. All other statuses are those of the guest's command."""

__all__ = ["BAD_INPUT", "BROKEN_PIPE", "GUEST_DIED", "INTERRUPTED", "TIMED_OUT"]

BAD_INPUT = 2
TIMED_OUT = 124  # as for timeout(1)
GUEST_DIED = 125
INTERRUPTED = 130  # 128 + SIGINT, as in shells
BROKEN_PIPE = 141  # 128 + SIGPIPE

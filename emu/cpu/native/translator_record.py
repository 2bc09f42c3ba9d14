# SPDX-License-Identifier: GPL-2.0-only
"""What changes Unicorn's translator, for all CPUs of an architecture: addresses of its functions and of ours."""

from __future__ import annotations

from emu.native.record import Fields

INSTRUCTION_COUNT = 4
NOTICED_COUNT = 16

_fields = Fields()
HOOKS = _fields.word()  # helper_uc_tracecode, which calls all hooks: Unicorn calls it if there are others than the block hook
EXIT_CHECK = _fields.word()  # helper_check_exit_request, which the translator calls after each access to memory
INSTRUCTIONS = _fields.words(INSTRUCTION_COUNT)  # helpers of instructions that the block hook executes instead (see translator)
NOTICED = _fields.words(NOTICED_COUNT)  # helpers before whose calls the architecture emits something
WORDS = _fields.count

# SPDX-License-Identifier: GPL-2.0-only
"""The checks of the exercises. Each runs machines of the learner's emu, or its race lab, and looks at what they do."""

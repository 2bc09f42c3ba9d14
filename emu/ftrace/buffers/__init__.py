# SPDX-License-Identifier: GPL-2.0-only
"""Ring buffers, the common part of their entries (time, task, CPU state), and tables of tasks that appear in them."""

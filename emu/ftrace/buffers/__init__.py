# SPDX-License-Identifier: GPL-2.0-only
"""Ring buffers, what every entry in them holds (a time, a task, the state of its CPU), and what is read of them."""

# SPDX-License-Identifier: GPL-2.0-only
"""Event triggers, and what they share with commands of set_ftrace_filter."""

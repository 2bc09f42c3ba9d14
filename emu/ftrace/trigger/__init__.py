# SPDX-License-Identifier: GPL-2.0-only
"""What events and functions make happen: triggers, and what they share with commands of set_ftrace_filter."""

# SPDX-License-Identifier: GPL-2.0-only
"""What a notebook shows of a trace and of its tables."""

# SPDX-License-Identifier: GPL-2.0-only
"""Events that are defined at run time: probe events and synthetic events."""

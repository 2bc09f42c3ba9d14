# SPDX-License-Identifier: GPL-2.0-only
"""Events that are defined while the machine runs: probes, and synthetic events."""

# SPDX-License-Identifier: GPL-2.0-only
"""What single events cost on this machine: branches, calls, caches, locks, and the like."""

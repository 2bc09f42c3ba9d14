# SPDX-License-Identifier: GPL-2.0-only
"""The events of a Linux guest: what its kernel and its modules have declared, and what makes their entries from outside."""

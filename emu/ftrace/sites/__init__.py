# SPDX-License-Identifier: GPL-2.0-only
"""Call sites, static keys and live patches: which guest kernel code is changed, to what, and by which protocol."""

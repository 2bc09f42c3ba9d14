# SPDX-License-Identifier: GPL-2.0-only
"""Call sites, static keys and live patches: which code of the guest's kernel is changed, to what, and by which protocol."""

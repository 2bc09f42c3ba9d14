# SPDX-License-Identifier: GPL-2.0-only
"""The host's side of the guest kernel: its image, structures, boot, host calls and upcalls."""

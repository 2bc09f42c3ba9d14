# SPDX-License-Identifier: GPL-2.0-only
"""What the host knows of the guest kernel: its image, structures, boot, host calls and upcalls."""

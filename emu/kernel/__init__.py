# SPDX-License-Identifier: GPL-2.0-only
"""What the host knows of the guest kernel: its image, its structures, how it boots, what it asks for."""

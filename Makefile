# SPDX-License-Identifier: GPL-2.0-only
# `make firmware` rebuilds the committed images; using emu does not need it.

firmware:
	$(MAKE) -C firmware

.PHONY: firmware

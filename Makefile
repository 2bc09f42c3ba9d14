# SPDX-License-Identifier: GPL-2.0-only
# `make firmware` rebuilds the committed images; using emu does not need it.

ARCHES	:= $(notdir $(wildcard firmware/arch/*))

firmware: $(ARCHES:%=firmware-%)

firmware-%:
	$(MAKE) -C firmware ARCH=$*

.PHONY: firmware

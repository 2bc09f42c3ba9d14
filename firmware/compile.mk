# SPDX-License-Identifier: GPL-2.0-only
# How kernel code is compiled and modules are linked: for the Makefile, which
# builds the images, and for module.mk, which builds one module from elsewhere.
# Whoever includes it has set ARCH and obj, and stands in this folder.

PYTHON		:= python3
WERROR		?= -Werror

include arch/$(ARCH)/Makefile

CC		:= $(CROSS_COMPILE)gcc
LD		:= $(CROSS_COMPILE)ld
AR		:= $(CROSS_COMPILE)ar
OBJCOPY		:= $(CROSS_COMPILE)objcopy
NM		:= $(CROSS_COMPILE)nm

# Of a header that an architecture has, too, its own comes first.
header_folders	:= arch/$(ARCH)/include arch/$(ARCH)/include/uapi \
		   include include/uapi

CPPFLAGS	:= -nostdinc -isystem $(shell $(CC) -print-file-name=include) \
		   $(addprefix -I ,$(header_folders)) \
		   -DUTS_MACHINE=\"$(ARCH)\" $(ARCH_CPPFLAGS) \
		   $(if $(filter n,$(STATIC_KEYS)),-DNO_STATIC_KEYS)

# The emulator finds the next block by a table with 64 places for each page of
# code: functions that lie less densely share fewer of them, and a traced call
# costs a third less.
ALIGN		:= -falign-functions=64

# Calls must be those of the source: nothing is inlined that is not marked so,
# no sibling calls, no parts of functions moved away, no function merged with an
# equal one. As in Linux, gcc may give a static function fewer parameters, and
# then calls it NAME.isra.0 or NAME.constprop.0.
CFLAGS		:= -std=gnu11 -O2 -Wall -Wextra -Wno-unused-parameter \
		   -Wno-sign-compare $(WERROR) -Wmissing-prototypes \
		   -ffreestanding -fno-pic -fno-common -fno-strict-aliasing \
		   -fno-inline -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		   -fno-ipa-icf -fno-partial-inlining \
		   -fno-reorder-functions -fno-reorder-blocks-and-partition \
		   -fno-stack-protector -fno-asynchronous-unwind-tables \
		   -fno-unwind-tables -fno-delete-null-pointer-checks \
		   -fno-tree-loop-distribute-patterns -fwrapv $(ALIGN) \
		   -ffile-prefix-map=$(CURDIR)=. $(ARCH_CFLAGS)
ASFLAGS		:= -D__ASSEMBLY__ $(ARCH_ASFLAGS)
LDFLAGS		:= -nostdlib -static --build-id=none -z noexecstack \
		   --no-warn-rwx-segments $(ARCH_LDFLAGS)

offsets		:= $(obj)/include/asm-offsets.h

# Constants that assembly needs are read off the compiler's own output.
$(obj)/asm-offsets.s: arch/$(ARCH)/asm-offsets.c.in
	@mkdir -p $(@D)
	@echo '  GEN     $@'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -x c -MMD -MP -MT $@ \
		-MF $@.d -S -o $@ $<

$(offsets): $(obj)/asm-offsets.s
	@mkdir -p $(@D)
	@sed -n 's/^->\([A-Za-z_0-9]*\) [$$]*\(-*[0-9]*\)$$/#define \1 \2/p' $< > $@

# A module's parts are joined, get what modpost.py writes about them, and are
# not linked any further.
MODFLAGS	:= -DMODULE
MODULE_LDFLAGS	:= $(firstword $(filter -m,$(ARCH_LDFLAGS))) $(word 2,$(ARCH_LDFLAGS))

define compile_module_c
@mkdir -p $(@D)
@echo '  CC [M]  $(@:$(obj)/%=%)'
@$(CC) $(CPPFLAGS) $(CFLAGS) $(MODFLAGS) -MMD -MP -c -o $@ $<
@$(if $(RECORDMCOUNT),$(RECORDMCOUNT) $@)
endef

define compile_module_asm
@mkdir -p $(@D)
@echo '  AS [M]  $(@:$(obj)/%=%)'
@$(CC) $(CPPFLAGS) -I $(obj)/include $(ASFLAGS) -Wa,--noexecstack -MMD -MP -c -o $@ $<
@$(if $(RECORDMCOUNT),$(RECORDMCOUNT) $@)
endef

define compile_module_description
@$(CC) $(CPPFLAGS) $(CFLAGS) $(MODFLAGS) -MMD -MP -c -o $@ $<
endef

join_parts	= @$(LD) $(MODULE_LDFLAGS) -r -T modules/module.lds -o $@ $^

define link_module
@echo '  LD [M]  $(@:$(obj)/%=%)'
@mkdir -p $(@D)
$(join_parts)
@$(OBJCOPY) --strip-debug $@
endef

# Makes a NAME.mod.c for each NAME.o of a folder, and the lists for modprobe.
modpost		= $(PYTHON) tools/modpost.py --nm $(NM) --objcopy $(OBJCOPY)

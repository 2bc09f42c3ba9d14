/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of the host's, which become messages of the kernel. */
#include <linux/device.h>
#include <linux/printk.h>
#include <emu/hostcall.h>

#define HOST_LINE_MAX	192

/*
 * HOST_DEVICE_VECTOR's handler: the host may have something to say. Called
 * with interrupts off.
 */
void host_log_interrupt(void)
{
	char line[HOST_LINE_MAX];
	long len;

	while ((len = hostcall2(HC_LOG_READ, line, sizeof(line))) > 0)
		pr_notice("%.*s\n", (int)len, line);
}

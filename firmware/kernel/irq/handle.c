/* SPDX-License-Identifier: GPL-2.0-only */
/* What the interrupts of devices do. */
#include <linux/device.h>
#include <linux/ftrace.h>
#include <linux/interrupt.h>
#include <linux/osnoise.h>
#include <trace/events/irq.h>
#include <asm/irq.h>

static irqreturn_t host_device_handler(void)
{
	console_input_ready();
	file_server_interrupt();
	trace_work_interrupt();
	return IRQ_HANDLED;
}

static irqreturn_t block_device_handler(void)
{
	ramdisk_interrupt();
	return IRQ_HANDLED;
}

const struct irqaction host_device_action = {
	.handler = host_device_handler,
	.irq = HOST_DEVICE_VECTOR,
	.name = "hostdev",
};

const struct irqaction block_device_action = {
	.handler = block_device_handler,
	.irq = BLOCK_DEVICE_VECTOR,
	.name = "ramdisk",
};

/* With interrupts off, after irq_enter_rcu(). */
void __handle_irq_event_percpu(const struct irqaction *action)
{
	irqreturn_t ret;

	trace_irq_handler_entry(action->irq, action);
	osnoise_irq_entry();
	ret = action->handler();
	trace_irq_handler_exit(action->irq, action, ret);
	osnoise_irq_exit(action->irq, action->name);
}

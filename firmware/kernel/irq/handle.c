/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices' interrupt handlers. */
#include <linux/interrupt.h>
#include <linux/irq_regs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

struct irqaction {
	irq_handler_t handler;
	void *dev;
	const char *name;
	struct irqaction *next;
};

struct irq_desc {
	raw_spinlock_t lock;
	struct irqaction *action;
};

static struct irq_desc irq_desc[NR_IRQS];

DEFINE_PER_CPU(struct pt_regs *, __irq_regs);

int request_irq(unsigned int irq, irq_handler_t handler, unsigned long flags,
		const char *name, void *dev)
{
	struct irqaction *action;
	struct irq_desc *desc;
	unsigned long irqflags;

	if (irq >= NR_IRQS)
		return -EINVAL;
	action = kmalloc(sizeof(*action), GFP_KERNEL);
	if (!action)
		return -ENOMEM;
	*action = (struct irqaction){
		.handler = handler,
		.dev = dev,
		.name = name,
	};
	desc = &irq_desc[irq];
	raw_spin_lock_irqsave(&desc->lock, irqflags);
	action->next = desc->action;
	desc->action = action;
	raw_spin_unlock_irqrestore(&desc->lock, irqflags);
	return 0;
}

static noinline irqreturn_t handle_irq_event(struct irq_desc *desc, int irq)
{
	struct irqaction *action;
	irqreturn_t ret = IRQ_NONE;

	for (action = desc->action; action; action = action->next)
		if (action->handler(irq, action->dev) == IRQ_HANDLED)
			ret = IRQ_HANDLED;
	return ret;
}

void generic_handle_irq(unsigned int irq)
{
	struct irq_desc *desc = &irq_desc[irq];

	raw_spin_lock(&desc->lock);
	handle_irq_event(desc, irq);
	raw_spin_unlock(&desc->lock);
}

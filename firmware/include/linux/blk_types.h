/* SPDX-License-Identifier: GPL-2.0-only */
/* What block I/O is made of: devices, vectors of pages, bios. */
#ifndef _LINUX_BLK_TYPES_H
#define _LINUX_BLK_TYPES_H

#include <linux/atomic.h>
#include <linux/types.h>

struct bio;
struct gendisk;
struct inode;
struct page;
struct request;
struct request_queue;
struct super_block;

typedef u64 sector_t;		/* in units of 512 bytes, or of blocks */
typedef u32 blk_opf_t;
typedef u8 blk_status_t;
typedef void (bio_end_io_t)(struct bio *bio);

#define SECTOR_SHIFT	9
#define SECTOR_SIZE	(1 << SECTOR_SHIFT)

/* blk_status_t */
#define BLK_STS_OK		0
#define BLK_STS_NOTSUPP		1
#define BLK_STS_IOERR		10

/* bi_opf and cmd_flags: the operation, and how */
#define REQ_OP_BITS	8
#define REQ_OP_MASK	((1 << REQ_OP_BITS) - 1)
enum req_op {
	REQ_OP_READ	= 0,
	REQ_OP_WRITE	= 1,
	REQ_OP_FLUSH	= 2,
};
#define REQ_SYNC	(1u << 11)
#define REQ_META	(1u << 12)
#define REQ_PRIO	(1u << 13)
#define REQ_NOMERGE	(1u << 14)
#define REQ_PREFLUSH	(1u << 18)

#define op_is_write(op)	((op) & 1)

/* Per operation: reads and writes. */
enum { STAT_READ, STAT_WRITE, NR_STAT_GROUPS };

struct disk_stats {
	u64 nsecs[NR_STAT_GROUPS];
	unsigned long sectors[NR_STAT_GROUPS];
	unsigned long ios[NR_STAT_GROUPS];
	unsigned long merges[NR_STAT_GROUPS];
	unsigned long io_ticks;		/* jiffies in which anything was in flight */
	unsigned long stamp;		/* until when those are counted */
};

/* A disk as a file has it: its inode's page cache is the disk's. */
struct block_device {
	dev_t		bd_dev;
	sector_t	bd_nr_sectors;
	int		bd_openers;
	bool		bd_read_only;
	struct inode	*bd_inode;
	struct super_block *bd_super;
	void		*bd_holder;	/* who claimed it exclusively */
	int		bd_holders;
	struct gendisk	*bd_disk;
	struct disk_stats bd_stats;	/* under the queue's lock */
};

struct bio_vec {
	struct page	*bv_page;
	unsigned int	bv_len;
	unsigned int	bv_offset;
};

struct bvec_iter {
	sector_t	bi_sector;	/* of 512 bytes */
	unsigned int	bi_size;	/* bytes left */
	unsigned int	bi_idx;
	unsigned int	bi_bvec_done;	/* bytes done of that vector */
};

/* Reads or writes adjacent sectors from or to a list of pages. */
struct bio {
	struct bio		*bi_next;	/* in a request */
	struct block_device	*bi_bdev;
	blk_opf_t		bi_opf;
	blk_status_t		bi_status;
	atomic_t		__bi_cnt;
	struct bvec_iter	bi_iter;
	bio_end_io_t		*bi_end_io;
	void			*bi_private;
	unsigned short		bi_vcnt;
	unsigned short		bi_max_vecs;
	struct bio_vec		bi_io_vec[];
};

#define bio_op(bio)	((enum req_op)((bio)->bi_opf & REQ_OP_MASK))

#endif

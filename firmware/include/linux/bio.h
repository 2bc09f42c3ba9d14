/* SPDX-License-Identifier: GPL-2.0-only */
/* Making and walking bios. */
#ifndef _LINUX_BIO_H
#define _LINUX_BIO_H

#include <linux/blk_types.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#define BIO_MAX_VECS	64u

#define bio_sectors(bio)	((bio)->bi_iter.bi_size >> SECTOR_SHIFT)
#define bio_dev(bio)		((bio)->bi_bdev->bd_dev)
#define bio_data_dir(bio)	(op_is_write(bio_op(bio)) ? 1 : 0)

/* What of the vectors is left to do, piece by piece. */
static inline bool bio_next_bvec(const struct bio *bio, struct bvec_iter *iter,
				 struct bio_vec *out)
{
	const struct bio_vec *bv = &bio->bi_io_vec[iter->bi_idx];

	if (!iter->bi_size)
		return false;
	out->bv_page = bv->bv_page;
	out->bv_offset = bv->bv_offset + iter->bi_bvec_done;
	out->bv_len = min(bv->bv_len - iter->bi_bvec_done, iter->bi_size);
	iter->bi_size -= out->bv_len;
	iter->bi_idx++;
	iter->bi_bvec_done = 0;
	return true;
}

#define bio_for_each_segment(bvl, bio, iter)	\
	for (iter = (bio)->bi_iter; bio_next_bvec(bio, &(iter), &(bvl)); )

/* NULL if there is no memory. */
struct bio *bio_alloc(struct block_device *bdev, unsigned short nr_vecs,
		      blk_opf_t opf, gfp_t gfp);
void bio_put(struct bio *bio);
/* @len, or 0 if it does not fit. */
int bio_add_page(struct bio *bio, struct page *page, unsigned int len,
		 unsigned int offset);
void bio_advance(struct bio *bio, unsigned int bytes);
void bio_endio(struct bio *bio);

void submit_bio(struct bio *bio);
void submit_bio_noacct(struct bio *bio);

static inline void bio_io_error(struct bio *bio)
{
	bio->bi_status = BLK_STS_IOERR;
	bio_endio(bio);
}

#endif

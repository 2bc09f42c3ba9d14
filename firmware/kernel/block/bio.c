/* SPDX-License-Identifier: GPL-2.0-only */
/* Bios: making, filling, ending them. */
#include <linux/bio.h>
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>

struct bio *bio_alloc(struct block_device *bdev, unsigned short nr_vecs,
		      blk_opf_t opf, gfp_t gfp)
{
	struct bio *bio;

	nr_vecs = min_t(unsigned int, nr_vecs, BIO_MAX_VECS);
	bio = kzalloc(sizeof(*bio) + nr_vecs * sizeof(struct bio_vec), gfp);
	if (!bio)
		return NULL;
	bio->bi_bdev = bdev;
	bio->bi_opf = opf;
	bio->bi_max_vecs = nr_vecs;
	atomic_set(&bio->__bi_cnt, 1);
	return bio;
}

static void bio_free(struct bio *bio)
{
	kfree(bio);
}

void bio_put(struct bio *bio)
{
	if (atomic_dec_and_test(&bio->__bi_cnt))
		bio_free(bio);
}

/* Bytes that follow the last vector's in memory make it longer. */
static bool __bio_try_merge_page(struct bio *bio, struct page *page,
				 unsigned int len, unsigned int off)
{
	struct bio_vec *bv;

	if (!bio->bi_vcnt)
		return false;
	bv = &bio->bi_io_vec[bio->bi_vcnt - 1];
	if (bv->bv_page != page || bv->bv_offset + bv->bv_len != off)
		return false;
	bv->bv_len += len;
	bio->bi_iter.bi_size += len;
	return true;
}

static void __bio_add_page(struct bio *bio, struct page *page,
			   unsigned int len, unsigned int off)
{
	struct bio_vec *bv = &bio->bi_io_vec[bio->bi_vcnt++];

	bv->bv_page = page;
	bv->bv_len = len;
	bv->bv_offset = off;
	bio->bi_iter.bi_size += len;
}

int bio_add_page(struct bio *bio, struct page *page, unsigned int len,
		 unsigned int offset)
{
	if (!__bio_try_merge_page(bio, page, len, offset)) {
		if (bio->bi_vcnt >= bio->bi_max_vecs)
			return 0;
		__bio_add_page(bio, page, len, offset);
	}
	return len;
}

void bio_advance(struct bio *bio, unsigned int bytes)
{
	struct bvec_iter *iter = &bio->bi_iter;

	iter->bi_sector += bytes >> SECTOR_SHIFT;
	iter->bi_size -= bytes;
	while (bytes) {
		unsigned int left = bio->bi_io_vec[iter->bi_idx].bv_len -
				    iter->bi_bvec_done;

		if (bytes < left) {
			iter->bi_bvec_done += bytes;
			break;
		}
		bytes -= left;
		iter->bi_idx++;
		iter->bi_bvec_done = 0;
	}
}

/* All of it has been done, or it has failed: tells who submitted it. */
void bio_endio(struct bio *bio)
{
	if (bio->bi_end_io)
		bio->bi_end_io(bio);
}

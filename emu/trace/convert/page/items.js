// SPDX-License-Identifier: GPL-2.0-only
// What rows show: slices, or moments. Those of a row lie together, in the order of time; slices of a row do not overlap.
class Items {
  // `start`, `length` in nanoseconds; `length` is null for moments. `name`: numbers of names. `place`: which item of the content.
  constructor(kind, start, length, name, place) {
    Object.assign(this, { kind, start, length, name, place });
    this.before = length && sums(length);  // of lengths
    this.found = new Uint32Array(start.length + 1);  // how many of those before each place match the search
  }

  // Some items in another order.
  static picked(kind, order, start, length, name) {
    const pick = (column) => column && column.constructor.from({ length: order.length }, (_, n) => column[order[n]]);
    return new Items(kind, pick(start), pick(length), pick(name), order);
  }

  end(n) { return this.length ? this.start[n] + this.length[n] : this.start[n]; }

  search(matches) {
    const { found, name } = this;
    for (let n = 0, count = 0; n < name.length; n++) found[n + 1] = count += matches[name[n]];
  }
}

// One line of the picture: items from `first` to `end`.
class Row {
  constructor(items, first, end, height) { Object.assign(this, { items, first, end, height, y: 0 }); }

  // The first item that ends after a time.
  firstAfter(time) {
    const { items, first, end } = this;
    const n = firstAtLeast(items.start, time, first, end);
    return n > first && items.end(n - 1) > time ? n - 1 : n;
  }

  // The item at a time, or the nearest that is not farther than `reach`; -1: there is none.
  at(time, reach) {
    const { items, first, end } = this, n = this.firstAfter(time);
    let best = -1, distance = reach;
    for (let each = Math.max(first, n - 1); each < Math.min(end, n + 2); each++) {
      const away = Math.max(items.start[each] - time, time - items.end(each), 0);
      if (away <= distance && (best < 0 || away < distance)) [best, distance] = [each, away];
    }
    return best;
  }

  // The first match from item `n` on; `end`: there is none.
  match(n) { return Math.min(this.end, firstAtLeast(this.items.found, this.items.found[n] + 1, n, this.end + 1) - 1); }

  // The last match before item `n`; -1: there is none.
  matchBefore(n) {
    const { found } = this.items, count = found[n];
    return count === found[this.first] ? -1 : firstAtLeast(found, count, this.first, n) - 1;
  }
}

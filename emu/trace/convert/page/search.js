// SPDX-License-Identifier: GPL-2.0-only
// Which items have a name that matches, and which of them comes next: by time, then from top to bottom. Also which groups have.
class Search {
  constructor(content, tracks) { Object.assign(this, { content, tracks, count: 0, searching: false, groups: [] }); }

  // Throws SyntaxError where the pattern is no regular expression.
  find(pattern) {
    this.searching = pattern !== "";
    const wanted = this.searching ? new RegExp(pattern) : null;
    const isWanted = (name) => wanted !== null && wanted.test(name);
    const matches = Uint8Array.from(this.content.names, isWanted);
    const { tracks } = this;
    for (const items of [...tracks.searched, tracks.runsOfTasks, tracks.eventsOfTasks]) items.search(matches);
    this.count = 0;
    for (const items of tracks.searched) this.count += items.found[items.found.length - 1];
    const has = ({ items, first, end }) => tracks.searched.includes(items) && items.found[end] > items.found[first];
    this.rows = tracks.rows.filter(has);
    this.groups = tracks.groups.filter((group) => isWanted(group.name));
  }

  // The match after an item, or the first one; null: there is none.
  next(after) {
    let best = null;
    for (const row of this.rows) {
      const n = row.match(after ? this.placeIn(row, after, true) : row.first);
      if (n < row.end && (!best || row.items.start[n] < best.row.items.start[best.n])) best = { row, n };
    }
    return best;
  }

  // The match before an item, or the last one.
  previous(before) {
    let best = null;
    for (const row of this.rows) {
      const n = row.matchBefore(before ? this.placeIn(row, before, false) : row.end);
      if (n >= row.first && (!best || row.items.start[n] >= best.row.items.start[best.n])) best = { row, n };
    }
    return best;
  }

  // How many matches are not after an item.
  number(item) {
    let count = 0;
    for (const row of this.rows) count += row.items.found[this.placeIn(row, item, true)] - row.items.found[row.first];
    return count;
  }

  // The first item of a row that is after an item, or, if not `after`, that is not before it.
  placeIn(row, item, after) {
    if (row === item.row) return after ? item.n + 1 : item.n;
    const { start } = row.items, time = item.row.items.start[item.n];
    const least = row.number < item.row.number ? time + 0.5 : time;  // times are whole
    return firstAtLeast(start, least, row.first, row.end);
  }
}

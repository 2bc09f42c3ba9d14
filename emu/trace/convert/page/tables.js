// SPDX-License-Identifier: GPL-2.0-only
// Totals of functions, tasks and events: of all, or of what began in a range of time.
const MOST = 1000;  // rows that a table shows
const COLUMNS = {
  functions: ["function", "calls", "total us", "self us", "min us", "max us"],
  tasks: ["task", "times on a CPU", "total us"],
  events: ["event", "count"],
};

class Totals {
  constructor(content, tracks) { Object.assign(this, { content, tracks }); }

  // Rows of a table, each with its name first; a call that has not returned does not count, nor time out of the range.
  of(table, range) {
    const [start, end] = range ?? [-Infinity, Infinity];
    return this[table](start, end);
  }

  functions(start, end) {
    const { columns, names, unfinished } = this.content;
    const { call_start: starts, call_duration: durations, call_self: own, call_name: name } = columns;
    const found = new Map();
    for (let n = 0; n < starts.length; n++) {
      if (starts[n] < start || starts[n] > end || unfinished.has(n)) continue;
      let row = found.get(name[n]);
      if (!row) found.set(name[n], row = [names[name[n]], 0, 0, 0, Infinity, 0]);
      const duration = durations[n];
      row[1]++;
      row[2] += duration;
      row[3] += own[n];
      if (duration < row[4]) row[4] = duration;
      if (duration > row[5]) row[5] = duration;
    }
    return [...found.values()];
  }

  tasks(start, end) {
    const { columns, names } = this.content, items = this.tracks.runs, found = new Map();
    for (let n = 0; n < items.start.length; n++) {
      if (items.end(n) < start || items.start[n] > end) continue;
      const task = columns.run_name[n], row = found.get(task) ?? [names[task], 0, 0];
      row[1]++;
      row[2] += Math.min(items.end(n), end) - Math.max(items.start[n], start);
      found.set(task, row);
    }
    return [...found.values()];
  }

  events(start, end) {
    const { event_start: starts, event_name: name } = this.content.columns, found = new Map();
    for (let n = 0; n < starts.length; n++) {
      if (starts[n] >= start && starts[n] <= end) found.set(name[n], (found.get(name[n]) ?? 0) + 1);
    }
    return [...found].map(([event, count]) => [this.content.names[event], count]);
  }
}

// A table in the page; a click on a column's name sorts by it.
class TotalsTable {
  constructor(place, totals) { Object.assign(this, { place, totals, table: "functions", range: null, column: 2, up: false }); }

  show(table, range) {
    if (table !== this.table) [this.column, this.up] = [Math.min(2, COLUMNS[table].length - 1), false];
    Object.assign(this, { table, range, rows: this.totals.of(table, range) });
    this.sort();
  }

  sort() {
    const { column } = this, sign = this.up ? 1 : -1;
    const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
    this.rows.sort((one, other) => sign * order(one[column], other[column]) || order(one[0], other[0]));
    const made = element("table"), head = made.createTHead().insertRow(), body = made.createTBody();
    COLUMNS[this.table].forEach((name, number) => {
      const cell = element("th", name);
      cell.classList.toggle("sorted", number === column);
      cell.addEventListener("click", () => {
        [this.up, this.column] = [number === column ? !this.up : number === 0, number];
        this.sort();
      });
      head.append(cell);
    });
    for (const row of this.rows.slice(0, MOST)) {
      const line = body.insertRow();
      row.forEach((value, number) => {
        const isTime = COLUMNS[this.table][number].endsWith(" us");
        line.insertCell().textContent = isTime ? microseconds(value) : value.toLocaleString("en-US");
      });
    }
    const more = this.rows.length - MOST;
    if (more > 0) body.insertRow().insertCell().textContent = `and ${more.toLocaleString("en-US")} more`;
    this.place.replaceChildren(made);
  }
}

function element(kind, text = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

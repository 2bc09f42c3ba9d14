// SPDX-License-Identifier: GPL-2.0-only
// What the page says of the item that is selected.
class Details {
  constructor(place, content, tracks) { Object.assign(this, { place, content, tracks }); }

  show(selected) {
    const table = element("table");
    for (const [name, value] of selected ? this[selected.row.items.kind](selected) : this.trace()) {
      const line = table.insertRow();
      line.append(element("th", name));
      line.insertCell().textContent = value;
    }
    this.place.replaceChildren(table);
  }

  trace() { return Object.entries(this.content.about); }

  call({ row, n }) {
    const { content } = this, { columns, names } = content, { call_start: start, call_name: name } = columns;
    const finished = !content.unfinished.has(n), rows = row.group.rows;
    const above = rows[rows.indexOf(row) - 1], caller = above?.items === row.items ? above.firstAfter(start[n]) : -1;
    const called = caller >= 0 && caller < above.end && start[caller] <= start[n];
    return [
      ["function", names[name[n]]], ["task", row.group.name], ["CPU", columns.call_cpu[n]],
      ["begins at", `${content.time(start[n])} s`],
      ...(finished
        ? [["duration", `${microseconds(columns.call_duration[n])} us`], ["self", `${microseconds(columns.call_self[n])} us`]]
        : [["duration", "has not returned"]]),
      ["called by", called ? names[name[caller]] : "none that was recorded"],
    ];
  }

  run({ row, n }) {
    const { content } = this, { items } = row, place = items.place ? items.place[n] : n;
    return [
      ["task", content.names[items.name[n]]], ["CPU", content.columns.run_cpu[place]],
      [content.switches ? "runs from" : "recorded from", `${content.time(items.start[n])} s`], ["for", `${microseconds(items.length[n])} us`],
    ];
  }

  event({ row, n }) {
    const { content } = this, { items } = row, event = items.place[n];
    return [
      ["event", content.names[items.name[n]]], ["at", `${content.time(items.start[n])} s`],
      ["CPU", content.columns.event_cpu[event]], ["task", content.taskName(content.columns.event_task[event])],
      ["says", content.text(event)],
    ];
  }
}

// SPDX-License-Identifier: GPL-2.0-only
// The rows of the picture: of each CPU what it ran, and events; of each task when it ran, events, and calls, level by level.
const HEIGHTS = { run: 18, band: 5, event: 8, call: 16 }, HEAD = 18, BETWEEN = 6;  // pixels

class Tracks {
  constructor(content) {
    const { columns, tasks } = content;
    this.calls = new Items("call", columns.call_start, columns.call_length, columns.call_name, null);
    this.runs = new Items("run", columns.run_start, columns.run_length, columns.run_name, null);
    const cpus = 1 + [columns.run_cpu, columns.event_cpu, columns.call_cpu].reduce(
      (most, column) => column.reduce((one, other) => Math.max(one, other), most), -1);
    const moments = (order) => Items.picked("event", order, columns.event_start, null, columns.event_name);
    const [eventsByCpu, eventsByTask] = [grouped(columns.event_cpu, cpus), grouped(columns.event_task, tasks.length)];
    this.events = moments(eventsByCpu.order);
    this.eventsOfTasks = moments(eventsByTask.order);
    const runsByCpu = grouped(columns.run_cpu, cpus), runsByTask = grouped(columns.run_task, tasks.length);
    this.runsOfTasks = Items.picked("run", runsByTask.order, columns.run_start, columns.run_length, columns.run_name);
    this.searched = [this.calls, this.runs, this.events];  // each thing once
    this.groups = [];
    for (let cpu = 0; cpu < cpus; cpu++) {
      this.add(`CPU ${cpu}`, 0, [[this.runs, runsByCpu, cpu, "run"], [this.events, eventsByCpu, cpu, "event"]]);
    }
    let first = 0, next = 0;
    tasks.forEach(([key, name], task) => {
      const parts = [[this.runsOfTasks, runsByTask, task, "band"], [this.eventsOfTasks, eventsByTask, task, "event"]];
      const group = this.add(content.names[name], key, parts);
      for (; next < content.rows.length && content.rows[next][0] === task; next++) {
        const end = first + content.rows[next][2];
        group.rows.push(Object.assign(new Row(this.calls, first, end, HEIGHTS.call), { group, level: content.rows[next][1] }));
        first = end;
      }
    });
    const idle = (group) => (group.key < 0 ? -group.key : 0);  // idle tasks come last, in the order of their CPUs
    this.groups = this.groups.filter((group) => group.rows.length).sort((one, other) => idle(one) - idle(other));
    this.rows = this.groups.flatMap((group) => group.rows);
    this.rows.forEach((row, number) => { row.number = number; });
    this.place();
  }

  // A group of rows, with those of its runs and events that are not empty.
  add(name, key, parts) {
    const group = { name, key, rows: [], closed: false };
    for (const [items, { firsts }, key, kind] of parts) {
      if (firsts[key] < firsts[key + 1]) {
        group.rows.push(Object.assign(new Row(items, firsts[key], firsts[key + 1], HEIGHTS[kind]), { group, level: -1 }));
      }
    }
    this.groups.push(group);
    return group;
  }

  // Says where everything is; calls of closed groups are hidden.
  place() {
    let y = 0;
    for (const group of this.groups) {
      group.y = y;
      for (const row of group.rows) {
        row.hidden = group.closed && row.items === this.calls;
        row.y = y;
        if (!row.hidden) y += row.height + 1;
      }
      y = Math.max(y, group.y + HEAD) + BETWEEN;
      group.end = y;
    }
    this.height = y;
  }

  groupAt(y) { return this.groups.find((group) => y >= group.y && y < group.end); }

  // The row at a place, or that next to it.
  rowAt(y) {
    return this.groupAt(y)?.rows.find((row) => !row.hidden && y >= row.y - 1 && y <= row.y + row.height);
  }
}

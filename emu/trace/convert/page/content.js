// SPDX-License-Identifier: GPL-2.0-only
// The trace: what content.py has put into the page.
class Content {
  constructor(said, columns) {
    Object.assign(this, said, { columns });
    const { call_inner: inner, call_length: length } = columns;
    columns.call_start = this.added(columns.call_start, this.rows.map((row) => row[2]));
    columns.run_start = this.added(columns.run_start, runsOf(columns.run_cpu));
    columns.event_start = this.added(columns.event_time, [columns.event_time.length]);
    columns.call_duration = Float64Array.from(length);
    columns.other_call.forEach((call, n) => { columns.call_duration[call] = columns.other_duration[n]; });
    columns.call_self = columns.call_duration.map((duration, n) => duration - inner[n]);
    this.unfinished = new Set(columns.unfinished);
    this.textEnds = sums(columns.event_length);
  }

  // Times from differences, row by row.
  added(differences, counts) {
    const times = new Float64Array(differences.length);
    let n = 0;
    for (const count of counts) {
      for (let time = 0, end = n + count; n < end; n++) times[n] = time += differences[n];
    }
    return times;
  }

  // `114.105020123`, seconds.
  time(nanoseconds) {
    const whole = BigInt(this.origin) + BigInt(Math.round(nanoseconds));
    return `${whole / 1000000000n}.${String(whole % 1000000000n).padStart(9, "0")}`;
  }

  // What an event says.
  text(event) {
    return new TextDecoder().decode(this.columns.event_text.subarray(this.textEnds[event], this.textEnds[event + 1]));
  }

  taskName(task) { return this.names[this.tasks[task][1]]; }
}

// How many equal numbers follow each other.
function runsOf(numbers) {
  const counts = [];
  for (let n = 0; n < numbers.length; n++) {
    if (n && numbers[n] === numbers[n - 1]) counts[counts.length - 1]++; else counts.push(1);
  }
  return counts;
}

// `12.345 us`, with commas.
function microseconds(nanoseconds) {
  return (nanoseconds / 1000).toLocaleString("en-US", { minimumFractionDigits: 3, maximumFractionDigits: 3 });
}

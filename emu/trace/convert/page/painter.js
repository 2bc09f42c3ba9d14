// SPDX-License-Identifier: GPL-2.0-only
// Draws what can be seen. Slices that are narrower than two pixels and begin in the same one are drawn as one.
const LEFT = 170, TOP = 24, LETTER = 6.05, NARROW = 2;  // pixels; of names, of the axis, of a letter, of a slice that is merged
const MATCH = "#b98bf0", OTHER = "#e0e0e0";

class Painter {
  constructor(canvas, content, tracks) {
    Object.assign(this, { canvas, content, tracks, context: canvas.getContext("2d", { alpha: false }) });
    this.colours = content.names.map((name) => {
      let hash = 7;
      for (let n = 0; n < name.length; n++) hash = (hash * 31 + name.charCodeAt(n)) >>> 0;
      return `hsl(${hash % 360} ${45 + (hash >>> 9) % 20}% ${66 + (hash >>> 14) % 12}%)`;
    });
  }

  // `view`: from, to, and top, how many pixels are above what can be seen; `state`: what is selected and found.
  draw(view, state) {
    const { context, canvas } = this, { width, height } = canvas;
    this.state = state;
    this.from = view.from;
    this.to = view.to;
    this.scale = (width - LEFT) / (view.to - view.from);
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    context.font = "10px monospace";
    for (const group of this.tracks.groups) {
      if (group.end > view.top && group.y < view.top + height) this.group(group, TOP - view.top);
    }
    if (state.range) this.range(state.range, height);
    this.axis(width);
  }

  x(time) { return LEFT + (time - this.from) * this.scale; }

  group(group, down) {
    const { context, canvas } = this;
    for (const row of group.rows) {
      if (row.hidden || row.y + down + row.height < TOP || row.y + down > canvas.height) continue;
      if (row.items.length) this.slices(row, row.y + down); else this.moments(row, row.y + down);
    }
    context.fillStyle = this.state.groups.includes(group) ? MATCH : "#f4f4f4";
    context.fillRect(0, group.y + down - 1, LEFT - 2, group.end - group.y - 3);
    context.fillStyle = "#222";
    const mark = group.rows.some((row) => row.items.kind === "call") ? (group.closed ? "\u25b8 " : "\u25be ") : "  ";
    context.fillText((mark + group.name).slice(0, Math.floor((LEFT - 8) / LETTER)), 4, group.y + down + 12);
  }

  slices(row, y) {
    const { context, from, to, scale } = this, { items, end } = row, { start, length, before } = items;
    const right = this.canvas.width;
    let n = row.firstAfter(from);
    while (n < end && start[n] < to) {
      const x = LEFT + (start[n] - from) * scale;
      let width = length[n] * scale, next = n + 1;
      if (width < NARROW) {
        const pixel = Math.floor(x);
        next = firstAtLeast(start, from + (pixel + 1 - LEFT) / scale, next, end);
        if (next - 1 > n && length[next - 1] * scale >= NARROW) next--;
        context.globalAlpha = Math.min(1, 0.35 + 0.65 * (before[next] - before[n]) * scale);
        context.fillStyle = this.colour(items, n, next);
        context.fillRect(pixel, y, 1, row.height);
        context.globalAlpha = 1;
      } else {
        const left = Math.max(x, LEFT - 1);
        width = Math.min(x + width, right + 1) - left;
        context.fillStyle = this.colour(items, n, next);
        context.fillRect(left, y, Math.max(width - 0.5, 1), row.height);
        if (width > 4 * LETTER && row.height > 10) this.label(this.content.names[items.name[n]], left, y, width, row.height);
      }
      n = next;
    }
    this.frame(row, y);
  }

  label(name, left, y, width, height) {
    const room = Math.floor((width - 4) / LETTER);
    this.context.fillStyle = "#000";
    this.context.fillText(name.length <= room ? name : `${name.slice(0, room - 2)}..`, left + 2, y + height / 2 + 4);
  }

  moments(row, y) {
    const { context, from, to, scale } = this, { items, end } = row, { start } = items;
    for (let n = row.firstAfter(from); n < end && start[n] < to;) {
      const pixel = Math.floor(LEFT + (start[n] - from) * scale);
      const next = firstAtLeast(start, from + (pixel + 1 - LEFT) / scale, n + 1, end);
      context.fillStyle = this.colour(items, n, next);
      context.fillRect(pixel, y, 1, row.height);
      n = next;
    }
    this.frame(row, y);
  }

  // Of the items from `n` to `next`.
  colour(items, n, next) {
    if (!this.state.searching) return this.colours[items.name[n]];
    return items.found[next] > items.found[n] ? MATCH : OTHER;
  }

  // Around what is selected.
  frame(row, y) {
    const { selected } = this.state;
    if (selected?.row !== row) return;
    const { items } = row, left = Math.max(this.x(items.start[selected.n]), LEFT - 2);
    const right = Math.min(this.x(items.end(selected.n)), this.canvas.width + 2);
    this.context.strokeStyle = "#000";
    this.context.lineWidth = 2;
    this.context.strokeRect(left - 1, y - 1, Math.max(right - left, 1) + 2, row.height + 2);
  }

  range([start, end], height) {
    const left = Math.max(this.x(start), LEFT), right = Math.min(this.x(end), this.canvas.width);
    if (right < left) return;
    this.context.fillStyle = "rgba(60, 120, 255, 0.15)";
    this.context.fillRect(left, TOP, right - left, height - TOP);
  }

  axis(width) {
    const { context, from, to, scale } = this;
    context.fillStyle = "#eee";
    context.fillRect(0, 0, width, TOP - 2);
    context.fillStyle = "#222";
    const power = 10 ** Math.ceil(Math.log10(120 / scale));
    const step = Math.max(1, power * scale > 480 ? power / 4 : power * scale > 240 ? power / 2 : power);
    const first = step - Number((BigInt(this.content.origin) + BigInt(Math.floor(from))) % BigInt(Math.round(step)));
    for (let time = Math.floor(from) + first; time <= to; time += step) {
      const x = this.x(time);
      context.fillRect(x, 0, 1, TOP - 2);
      context.fillText(this.content.time(time), x + 3, 13);
    }
    context.fillText("seconds", 4, 13);
  }
}

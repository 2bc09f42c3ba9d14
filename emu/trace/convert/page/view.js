// SPDX-License-Identifier: GPL-2.0-only
// What part of the trace can be seen, and how keys, the wheel and the pointer change it.
class View {
  constructor(scroller, canvas, tracks, end, changed) {
    end = Math.max(end, 1);
    Object.assign(this, { scroller, canvas, tracks, end, changed, from: 0, to: end, pointer: 0.5 });
    addEventListener("resize", () => this.fit());
    scroller.addEventListener("scroll", () => changed());
    scroller.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  get top() { return this.scroller.scrollTop; }

  get width() { return this.canvas.width - LEFT; }

  // Makes the canvas as large as there is room.
  fit() {
    const { clientWidth, clientHeight } = this.scroller;
    this.canvas.width = clientWidth;
    this.canvas.height = clientHeight;
    this.scroller.querySelector("#space").style.height = `${Math.max(0, this.tracks.height + TOP - clientHeight)}px`;
    this.changed();
  }

  time(x) { return this.from + (this.to - this.from) * (x - LEFT) / this.width; }

  show(from, to) {
    const span = Math.min(Math.max(to - from, 10), this.end * 1.02);
    const least = -0.01 * this.end, most = 1.01 * this.end - span;
    this.from = Math.max(least, Math.min(from, most));
    this.to = this.from + span;
    this.changed();
  }

  // `factor` below 1 shows less. What is at the place `at`, between 0 and 1, stays there.
  zoom(factor, at = this.pointer) {
    const span = (this.to - this.from) * factor, middle = this.from + (this.to - this.from) * at;
    this.show(middle - span * at, middle + span * (1 - at));
  }

  // By so many widths of what can be seen.
  pan(widths) {
    const by = (this.to - this.from) * widths;
    this.show(this.from + by, this.to + by);
  }

  // Moves so that an item can be seen; makes it wide enough.
  reveal(row, start, end) {
    const span = this.to - this.from, length = end - start;
    if (length > span || length * this.width / span < 4) {
      const wanted = Math.max(length * 4, 100);
      this.show(start - (wanted - length) / 2, start + (wanted + length) / 2);
    } else if (start < this.from || end > this.to) {
      this.show(start + length / 2 - span / 2, start + length / 2 + span / 2);
    }
    const room = this.canvas.height - TOP;
    if (row.y < this.top || row.y + row.height > this.top + room) this.scroller.scrollTop = row.y - room / 2;
    this.changed();
  }

  wheel(event) {
    if (event.ctrlKey) {
      this.zoom(2 ** (event.deltaY / 300));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.pan((event.deltaX || event.deltaY) / this.width);
    } else {
      return;  // the browser scrolls
    }
    event.preventDefault();
  }

  key(name) {
    if (name === "w") this.zoom(0.75);
    else if (name === "s") this.zoom(1 / 0.75);
    else if (name === "a" || name === "ArrowLeft") this.pan(-0.15);
    else if (name === "d" || name === "ArrowRight") this.pan(0.15);
  }
}

// Drags on the canvas, and clicks.
class Pointer {
  constructor(canvas, view, actions) {
    Object.assign(this, { view, actions, start: null });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.start = { x: event.offsetX, y: event.offsetY, from: view.from, to: view.to, shift: event.shiftKey, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => this.move(event.offsetX));
    canvas.addEventListener("pointerup", (event) => this.release(event));
  }

  times(x) { return [this.view.time(this.start.x), this.view.time(x)].sort((one, other) => one - other); }

  move(x) {
    const { start, view } = this;
    view.pointer = Math.max(0, Math.min(1, (x - LEFT) / view.width));
    if (!start) return;
    start.moved ||= Math.abs(x - start.x) > 3;
    if (!start.moved) return;
    if (start.shift) {
      const by = (start.x - x) * (start.to - start.from) / view.width;
      view.show(start.from + by, start.to + by);
    } else {
      this.actions.range(this.times(x));
    }
  }

  release(event) {
    const { start, view } = this;
    if (!start) return;
    if (!start.moved) this.actions.click(event.offsetX, event.offsetY);
    else if (!start.shift && start.y < TOP) {
      const times = this.times(event.offsetX);
      this.actions.range(null);
      view.show(...times);
    }
    this.start = null;
  }
}

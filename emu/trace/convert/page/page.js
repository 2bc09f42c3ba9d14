// SPDX-License-Identifier: GPL-2.0-only
// Puts the page together, and draws a frame when something has changed. `data-drawn` of the body counts frames.
class Page {
  constructor(content) {
    const byId = (id) => document.getElementById(id);
    this.content = content;
    this.tracks = new Tracks(content);
    this.search = new Search(content, this.tracks);
    this.painter = new Painter(byId("canvas"), content, this.tracks);
    this.details = new Details(byId("details"), content, this.tracks);
    this.table = new TotalsTable(byId("table"), new Totals(content, this.tracks));
    this.view = new View(byId("scroller"), byId("canvas"), this.tracks, content.end, () => this.changed());
    new Pointer(byId("canvas"), this.view, { range: (range) => this.selectRange(range), click: (x, y) => this.click(x, y) });
    Object.assign(this, { selected: null, range: null, field: byId("search"), waiting: false, frames: 0, counting: 0 });
    this.field.addEventListener("input", () => this.find());
    byId("next").addEventListener("click", () => this.step(true));
    byId("previous").addEventListener("click", () => this.step(false));
    byId("whole").addEventListener("click", () => this.view.show(0, this.view.end));
    this.flames = new Flames(byId("flames"), content.flames);
    for (const button of document.querySelectorAll("#tabs button")) {
      const { table, flames } = button.dataset;
      button.addEventListener("click", () => (table ? this.showTotals(table) : this.showFlames(flames)));
    }
    addEventListener("keydown", (event) => this.key(event));
    const wanted = ["functions", "tasks", "events"].find((table) => this.table.totals.of(table, null).length);
    this.showTotals(wanted ?? "functions");
    this.details.show(null);
    this.view.show(0, this.view.end);
    this.view.fit();
  }

  changed() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const { selected, range, view } = this;
      this.painter.draw(view, { selected, range, searching: this.search.searching, groups: this.search.groups });
      document.getElementById("range").textContent = `${this.content.time(view.from)} s, ${microseconds(view.to - view.from)} us`;
      document.body.dataset.drawn = ++this.frames;
    });
  }

  select(row, n) {
    this.selected = row && { row, n };
    this.details.show(this.selected);
    this.changed();
  }

  // Totals of a long drag are added up when the pointer rests.
  selectRange(range) {
    this.range = range;
    clearTimeout(this.counting);
    this.counting = setTimeout(() => { if (this.flames.shown === null) this.showTotals(this.table.table); }, 40);
    this.changed();
  }

  // Chooses a table, or a flame graph, which is of the whole trace.
  choose(table, flames) {
    for (const button of document.querySelectorAll("#tabs button")) {
      button.classList.toggle("chosen", (button.dataset.table ?? null) === table && (button.dataset.flames ?? null) === flames);
    }
    document.getElementById("table").hidden = flames !== null;
    document.getElementById("below").classList.toggle("flames", flames !== null);
    if (flames !== this.flames.shown) this.flames.show(flames);
    this.view.fit();
  }

  showFlames(name) {
    this.choose(null, name);
    document.getElementById("counted").textContent = "";
  }

  showTotals(table) {
    this.table.show(table, this.range);
    this.choose(table, null);
    const [start, end] = this.range ?? [];
    document.getElementById("counted").textContent = this.range
      ? `from ${this.content.time(start)} s, ${microseconds(end - start)} us` : "whole trace";
  }

  click(x, y) {
    const place = y - TOP + this.view.top, group = this.tracks.groupAt(place);
    if (y < TOP || !group) {
      this.select(null);
    } else if (x < LEFT) {
      group.closed = !group.closed;
      this.tracks.place();
      this.view.fit();
    } else {
      const row = this.tracks.rowAt(place), reach = 3 * (this.view.to - this.view.from) / this.view.width;
      const n = row ? row.at(this.view.time(x), reach) : -1;
      this.select(n < 0 ? null : row, n);
    }
  }

  find() {
    let said = "";
    try {
      this.search.find(this.field.value);
      const { searching, count, groups } = this.search;
      said = searching ? `${count.toLocaleString("en-US")} found` : "";
      if (groups.length) said += `, and ${groups.length} name${groups.length > 1 ? "s" : ""} on the left`;
    } catch {
      said = "no regular expression";
    }
    document.getElementById("found").textContent = said;
    this.changed();
  }

  step(forward) {
    const { search, selected } = this;
    if (!search.count) {
      const above = this.view.top, { groups } = search;  // from one name on the left to the next
      const next = forward ? groups.find((group) => group.y > above) : groups.findLast((group) => group.y < above);
      if (groups.length) this.view.scroller.scrollTop = (next ?? groups.at(forward ? 0 : -1)).y;
      return;
    }
    const from = selected && this.tracks.searched.includes(selected.row.items) ? selected : null;
    const found = forward ? search.next(from) ?? search.next(null) : search.previous(from) ?? search.previous(null);
    this.select(found.row, found.n);
    const { row, n } = found;
    if (row.hidden) {
      row.group.closed = false;
      this.tracks.place();
      this.view.fit();
    }
    this.view.reveal(row, row.items.start[n], row.items.end(n));
    const numbers = [search.number(found), search.count].map((number) => number.toLocaleString("en-US"));
    document.getElementById("found").textContent = numbers.join(" of ");
  }

  key(event) {
    const { key } = event;
    if (key === "Escape") {
      this.field.blur();
      this.select(null);
      this.selectRange(null);
    } else if (event.target === this.field) {
      if (key === "Enter") this.step(!event.shiftKey);
    } else if (key === "/") {
      event.preventDefault();
      this.field.focus();
    } else if (key === "f") {
      this.showSelected();
    } else if (!event.ctrlKey && !event.altKey && !event.metaKey) {
      this.view.key(key);
    }
  }

  showSelected() {
    const { selected, range } = this, items = selected?.row.items;
    const [start, end] = selected ? [items.start[selected.n], items.end(selected.n)] : range ?? [0, this.view.end];
    const around = Math.max((end - start) * 0.05, 5);
    this.view.show(start - around, end + around);
  }
}

addEventListener("load", async () => {
  const byId = (id) => document.getElementById(id);
  const said = JSON.parse(byId("said").textContent);
  const columns = await unpacked(said.layout, byId("columns").textContent);
  byId("columns").remove();
  window.page = new Page(new Content(said, columns));
});

// SPDX-License-Identifier: GPL-2.0-only
// The flame graphs: each a picture of its own, with its own zoom and search, in a frame.
class Flames {
  constructor(place, pictures) { Object.assign(this, { place, pictures, shown: null }); }

  // `name`: which of them; null: none.
  async show(name) {
    this.shown = name;
    this.place.hidden = name === null;
    if (name === null) return;
    const picture = this.pictures[name];
    if (picture.missing) {
      this.place.replaceChildren(element("p", picture.missing));
      return;
    }
    const svg = new TextDecoder().decode(await inflated(document.getElementById(picture.data).textContent));
    if (this.shown !== name) return;
    const frame = element("iframe");
    frame.srcdoc = `<!DOCTYPE html><style>body { margin: 0 }</style>${svg.slice(svg.indexOf("<svg"))}`;
    this.place.replaceChildren(frame);
  }
}

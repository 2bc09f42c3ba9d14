"use strict";
// SPDX-License-Identifier: GPL-2.0-only
// Zoom, details and search. A frame's place in the whole picture is `x`, `width` and `y`.
addEventListener("load", () => {
  const svg = document.querySelector("svg");  // alone, or in a page
  const margin = Number(svg.dataset.margin), wide = Number(svg.dataset.width) - 2 * margin;
  const byId = (id) => document.getElementById(id);
  const character = Number(svg.dataset.character);  // how wide each is
  const frames = [...document.querySelectorAll(".frame")].map((element) => {
    const rect = element.querySelector("rect");
    const of = (name) => Number(rect.getAttribute(name));
    return {
      element, rect, text: element.querySelector("text"), name: element.dataset.name,
      details: element.querySelector("title").textContent, x: of("x"), width: of("width"), y: of("y"),
    };
  });
  const nearly = 0.011;  // places have two decimals

  function place(frame, x, width) {
    frame.rect.setAttribute("x", x.toFixed(2));
    frame.rect.setAttribute("width", width.toFixed(2));
    frame.text.setAttribute("x", (x + 3).toFixed(2));
    const room = Math.floor((width - 4) / character);
    const name = frame.name;
    frame.text.textContent = name.length <= room ? name : room > 3 ? name.slice(0, room - 2) + ".." : "";
  }

  function zoom(chosen) {
    const scale = wide / chosen.width, end = chosen.x + chosen.width;
    for (const frame of frames) {
      const below = frame.y > chosen.y && frame.x <= chosen.x + nearly && frame.x + frame.width >= end - nearly;
      const above = frame.y <= chosen.y && frame.x >= chosen.x - nearly && frame.x + frame.width <= end + nearly;
      frame.element.style.display = above || below ? "" : "none";
      frame.element.classList.toggle("around", below);
      if (below) {
        place(frame, margin, wide);
      } else if (above) {
        place(frame, margin + (frame.x - chosen.x) * scale, frame.width * scale);
      }
    }
    byId("reset").style.visibility = chosen === frames[0] ? "hidden" : "visible";
  }

  function search(pattern) {
    let wanted = null;
    try {
      wanted = pattern ? new RegExp(pattern) : null;
    } catch {
      byId("matched").textContent = "no regular expression";
      return;
    }
    const found = frames.filter((frame) => {
      const matches = wanted !== null && wanted.test(frame.name);
      frame.element.classList.toggle("found", matches);
      return matches;
    });
    found.sort((one, other) => one.x - other.x || other.width - one.width);
    let total = 0, end = -1;
    for (const frame of found) {  // a frame that stands on one that matches does not count again
      if (frame.x + nearly >= end) {
        total += frame.width;
        end = frame.x + frame.width;
      }
    }
    byId("matched").textContent = wanted ? `${(100 * total / wide).toFixed(2)} %` : "";
  }

  const frameOf = (event) => frames.find((frame) => frame.element === event.target.closest(".frame"));
  byId("frames").addEventListener("click", (event) => {
    const frame = frameOf(event);
    if (frame) zoom(frame);
  });
  byId("frames").addEventListener("mouseover", (event) => {
    const frame = frameOf(event);
    byId("details").textContent = frame ? frame.details : "";
  });
  byId("reset").addEventListener("click", () => zoom(frames[0]));
  byId("search").addEventListener("input", (event) => search(event.target.value));
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      zoom(frames[0]);
      byId("search").value = "";
      search("");
    } else if (event.key === "/" && event.target !== byId("search")) {
      event.preventDefault();
      byId("search").focus();
    }
  });
});

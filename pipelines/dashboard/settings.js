// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of a camera: shown to everyone, changed by who is logged in. The region is drawn with the mouse, or typed.

const SVG = "http://www.w3.org/2000/svg";

export function describe ({ mode, threshold, invert, region, limits }) {
  const range = ({ name, low, high }) => `${name} ${low ?? ""}${low === high ? "" : `–${high ?? ""}`}`;
  return [`threshold ${mode}${mode === "fixed" || mode === "hysteresis" ? ` ${threshold}` : ""}${invert ? ", dark parts" : ""}`,
    region ? `region ${region}` : "whole frame", limits.length ? limits.map(range).join(", ") : "no limits"].join(" · ");
}

const shape = (name, kind, attributes) => {
  const element = document.createElementNS(SVG, name);
  element.setAttribute("class", kind);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, value);
  return element;
};

// The outlines of the property "region": rectangles x,y,w,h and polygons.
function outlines (region) {
  return region.split(";").filter(Boolean).map(text => {
    if (text.trim().startsWith("polygon:"))
      return shape("polygon", "active", { points: text.replace("polygon:", "").trim() });
    const [x, y, width, height] = text.split(",").map(Number);
    return shape("rect", "active", { x, y, width, height });
  });
}

export class Settings {
  // send(values) resolves to null or to the sentence that says why the server refuses.
  constructor (card, send) {
    this.send = send;
    this.picture = card.querySelector(".picture");
    this.svg = card.querySelector(".regions");
    this.details = card.querySelector(".settings");
    this.summary = this.details.querySelector(".summary");
    this.answer = this.details.querySelector(".answer");
    [this.threshold, this.region, this.limits] = ["threshold", "region", "limits"].map(name => this.details.querySelector(`form.${name}`));
    this.list = this.limits.querySelector("ul");
    this.drawButton = this.region.querySelector(".draw");
    this.dirty = new Set();
    this.known = "";
    this.drawn = null;
    this.measures = [];

    for (const form of [this.threshold, this.region, this.limits])
      form.addEventListener("input", () => this.dirty.add(form));
    this.threshold.addEventListener("submit", event => this.apply(event, {
      mode: this.threshold.elements.mode.value, threshold: this.threshold.elements.threshold.valueAsNumber,
      invert: this.threshold.elements.invert.checked }));
    this.region.addEventListener("submit", event => this.apply(event, { region: this.typed() }));
    this.region.querySelector(".whole").addEventListener("click", event => this.apply(event, { region: null }));
    this.region.addEventListener("input", () => this.show(this.typed()));
    this.limits.addEventListener("submit", event => this.apply(event, { limits: this.rows() }));
    this.limits.querySelector(".add").addEventListener("click", () => {
      this.dirty.add(this.limits);
      this.addRow({ name: this.measures[0] ?? "area", low: null, high: null }).querySelector("select").focus();
    });
    this.drawButton.addEventListener("click", () => this.draw(this.drawButton.getAttribute("aria-pressed") !== "true"));
    this.svg.addEventListener("pointerdown", event => this.begin(event));
  }

  // Takes what the server says. Fields that somebody is changing keep their values.
  update (settings, size, measures, allowed, kind) {
    this.size = size;
    this.measures = measures;
    this.details.querySelector(".forms").hidden = this.answer.hidden = !allowed;
    this.threshold.hidden = this.region.hidden = kind === "mqtt";
    if (!allowed)
      this.draw(false);
    if (size)
      this.svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    this.summary.textContent = kind === "mqtt" ? describe(settings).split(" · ").at(-1) : describe(settings);
    const known = JSON.stringify([settings, size]);
    if (known === this.known)
      return;
    this.known = known;
    this.settings = settings;
    if (!this.dirty.has(this.threshold))
      for (const [name, key] of [["mode", "value"], ["threshold", "value"], ["invert", "checked"]])
        this.threshold.elements[name][key] = settings[name];
    if (!this.dirty.has(this.region))
      this.write(settings.region ? settings.region.split(";")[0].split(",").map(Number) : [0, 0, ...(size ?? ["", ""])]);
    if (!this.dirty.has(this.limits)) {
      this.list.replaceChildren();
      settings.limits.forEach(limit => this.addRow(limit));
    }
    this.show(this.drawn);
  }

  async apply (event, values) {
    event.preventDefault();
    const form = event.currentTarget.closest("form");
    const problem = await this.send(values);
    this.answer.textContent = problem ?? "The change applies.";
    this.answer.classList.toggle("problem", problem !== null);
    if (problem !== null)
      return;
    this.dirty.delete(form);
    this.known = "";
    if (form === this.region) {
      this.show(null);
      this.draw(false);
    }
  }

  // -- the region

  typed () {
    const { x, y, width, height } = this.region.elements;
    return Object.fromEntries(Object.entries({ x, y, width, height }).map(([name, input]) => [name, input.valueAsNumber]));
  }

  write (numbers) {
    ["x", "y", "width", "height"].forEach((name, i) => { this.region.elements[name].value = Number.isNaN(numbers[i]) ? "" : numbers[i]; });
  }

  show (drawn) {
    this.drawn = drawn;
    this.svg.replaceChildren(...outlines(this.settings?.region ?? ""));
    if (drawn && Object.values(drawn).every(Number.isFinite))
      this.svg.append(shape("rect", "drawn", drawn));
  }

  draw (on) {
    this.drawButton.setAttribute("aria-pressed", String(on));
    this.picture.classList.toggle("drawing", on);
  }

  // The pixel of the frame below the pointer, within the frame.
  place (event) {
    const box = this.svg.getBoundingClientRect();
    const along = (at, from, length, pixels) => Math.min(pixels, Math.max(0, Math.round((at - from) / length * pixels)));
    return [along(event.clientX, box.left, box.width, this.size[0]), along(event.clientY, box.top, box.height, this.size[1])];
  }

  begin (event) {
    if (!this.size || event.button !== 0)
      return;
    const from = this.place(event);
    this.svg.setPointerCapture(event.pointerId);
    const move = moved => {
      const to = this.place(moved);
      const drawn = { x: Math.min(from[0], to[0]), y: Math.min(from[1], to[1]), width: Math.abs(to[0] - from[0]), height: Math.abs(to[1] - from[1]) };
      if (drawn.width && drawn.height) {
        this.dirty.add(this.region);
        this.write(Object.values(drawn));
        this.show(drawn);
      }
    };
    const end = () => {
      this.svg.removeEventListener("pointermove", move);
      if (this.drawn)
        this.region.querySelector("[type=submit]").focus();
    };
    this.svg.addEventListener("pointermove", move);
    this.svg.addEventListener("pointerup", end, { once: true });
    this.svg.addEventListener("pointercancel", end, { once: true });
  }

  // -- the limits

  addRow ({ name, low, high }) {
    const row = document.getElementById("limit").content.firstElementChild.cloneNode(true);
    const select = row.querySelector("select");
    select.append(...[...new Set([name, ...this.measures])].map(measure => new Option(measure, measure)));
    select.value = name;
    row.querySelector("[name=low]").value = low ?? "";
    row.querySelector("[name=high]").value = high ?? "";
    row.querySelector(".remove").addEventListener("click", () => {
      this.dirty.add(this.limits);
      row.remove();
      this.limits.querySelector(".add").focus();
    });
    this.list.append(row);
    return row;
  }

  rows () {
    const end = input => (input.value === "" ? null : input.valueAsNumber);
    return [...this.list.children].map(row => ({ name: row.querySelector("select").value,
      low: end(row.querySelector("[name=low]")), high: end(row.querySelector("[name=high]")) }));
  }
}

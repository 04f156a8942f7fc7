// SPDX-License-Identifier: LGPL-2.1-or-later
// The page: takes the newest state from the server a few times a second and shows it, a card for each camera.
import { Distribution, PassRate, number, percent } from "./charts.js";
import { Settings } from "./settings.js";

const LONGEST_PAUSE = 8000;   // milliseconds before the next attempt to connect
const MAX_STREAMS = 3;        // browsers open six connections to a server; the others get single pictures
const STILLS = { crowded: 500, calm: 1000 };  // milliseconds between single pictures
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const byId = id => document.getElementById(id);
const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
const cards = [];
let token = null, socket = null, pause = 500;

// The picture of a camera: a stream, single pictures, or the last one.
class Picture {
  constructor (card, index) {
    [this.image, this.button, this.index] = [card.querySelector(".picture img"), card.querySelector(".pause"), index];
    this.paused = false;
    this.button.addEventListener("click", () => {
      this.paused = !this.paused;
      this.button.setAttribute("aria-pressed", String(this.paused));
      this.restart();
    });
    document.addEventListener("visibilitychange", () => this.resume());
    calm.addEventListener("change", () => this.resume());
  }

  update (address, foreign) {
    if (address === this.address)
      return;
    [this.address, this.foreign] = [address, foreign];
    this.restart();
  }

  // Begins anew, but for a picture that is to stay as it is. A stream that has ended leaves its last picture.
  resume () {
    if (!this.paused)
      this.restart();
  }

  restart () {
    clearTimeout(this.timer);
    this.image.onload = this.image.onerror = null;
    if (!this.address)
      this.image.removeAttribute("src");
    else if (this.foreign)
      this.image.src = this.address;
    else if (this.paused)
      this.still(false);
    else if (document.hidden)
      this.image.removeAttribute("src");
    else if (calm.matches || this.index >= MAX_STREAMS)
      this.still(true);
    else {
      this.image.onerror = () => { this.timer = setTimeout(() => this.restart(), STILLS.calm); };
      this.image.removeAttribute("src");
      this.image.src = `${this.address}.mjpeg`;
    }
  }

  still (again) {
    const next = () => { this.timer = setTimeout(() => this.still(true), calm.matches ? STILLS.calm : STILLS.crowded); };
    this.image.onload = this.image.onerror = again ? next : null;
    this.image.src = `${this.address}.jpg?${Date.now()}`;
  }
}

class Card {
  constructor (index) {
    this.index = index;
    this.root = byId("camera").content.firstElementChild.cloneNode(true);
    byId("cameras").append(this.root);
    this.find("h2").id = `camera-${index}`;
    this.root.setAttribute("aria-labelledby", `camera-${index}`);
    this.picture = new Picture(this.root, index);
    this.passRate = new PassRate(this.find(".over-time"));
    this.distribution = new Distribution(this.find(".distribution"));
    this.settings = new Settings(this.root, values => send(`api/camera/${index}/settings`, values));
    this.measure = this.find(".measure");
    this.measure.addEventListener("change", () => this.wish());
    this.failures = new Map();
  }

  find (selector) { return this.root.querySelector(selector); }

  write (selector, text) { this.find(selector).textContent = text; }

  wish () {
    if (this.measure.value && socket?.readyState === WebSocket.OPEN)
      socket.send(JSON.stringify({ camera: this.index, measure: this.measure.value }));
  }

  // A connection begins, perhaps to another run of the server.
  begin () {
    this.wish();
    this.picture.resume();
  }

  remove () {
    this.picture.update(null, false);
    this.passRate.remove();
    this.distribution.remove();
    this.root.remove();
  }

  update (camera) {
    const { frame } = camera;
    this.write("h2", camera.name);
    this.write(".state", camera.state);
    this.find(".state").dataset.state = camera.state;
    const message = frame?.refused ? "The frame exceeds a limit of the analyser, which did not search." : camera.message;
    this.find(".message").hidden = !message;
    if (this.find(".message").textContent !== message)
      this.write(".message", message);
    const about = frame ? [`frame ${frame.number}`, frame.size && `${frame.size.join(" × ")} px`, frame.threshold !== null && `threshold ${frame.threshold}`] : [];
    if (camera.totals.skipped)
      about.push(`${plural(camera.totals.skipped, "frame")} not evaluated`);
    this.write(".about", about.filter(Boolean).join(" · "));
    this.root.dataset.frame = frame ? frame.number : "";

    this.find(".view").hidden = !camera.picture;
    this.picture.update(camera.picture, camera.kind === "mqtt");
    if (frame?.size) {
      this.find(".picture").style.aspectRatio = frame.size.join(" / ");
      this.find(".picture").style.maxWidth = `calc(72vh * ${frame.size[0] / frame.size[1]})`;
    }
    this.find(".picture img").alt = `Live picture of ${camera.name}` + (frame ? `: ${plural(frame.parts, "part")}, ${number(frame.failed)} failed` : "");

    const sum = this.passRate.update(camera.series);
    this.write(".pass-rate", percent(...sum));
    this.write(".parts-now", number(frame?.parts));
    this.write(".failed-now", number(frame?.failed));
    this.find(".failed-now").classList.toggle("some", frame?.failed > 0);
    this.write(".area-now", number(frame?.area));
    this.write(".area-range", frame?.parts ? `${number(frame.smallest, 0)} – ${number(frame.largest, 0)}` : "–");
    this.write(".rate", number(camera.rate));

    this.showMeasures(camera);
    this.distribution.update(camera.measure, camera.histogram, camera.settings.limits);
    this.showFailures(camera.failures);
    if (this.find(".parts").open)
      this.showParts(frame);
    this.settings.update(camera.settings, frame?.size, camera.measures, token !== null, camera.kind);
  }

  showMeasures ({ measures, measure, kind }) {
    // A pipeline computes on request what it does not have yet; messages have what they have.
    const names = kind === "mqtt" ? measures : ALL_MEASURES;
    const known = [...this.measure.options].map(option => option.value);
    if (known.join() === names.join())
      return;
    this.measure.replaceChildren(...names.map(name => new Option(name, name, name === measure, name === measure)));
  }

  showFailures (failures) {
    const list = this.find(".failures ol");
    this.find(".failures .none").hidden = failures.length > 0;
    list.hidden = failures.length === 0;
    const kept = new Set(failures.map(failure => failure.id));
    for (const [id, item] of this.failures)
      if (!kept.has(id)) {
        item.remove();
        this.failures.delete(id);
      }
    for (const failure of [...failures].reverse()) {
      let item = this.failures.get(failure.id);
      if (!item) {
        item = document.createElement("li");
        item.innerHTML = '<div class="crop">no picture</div><p class="caption"><strong></strong><span class="when"></span></p>';
        item.querySelector("strong").textContent = failure.reasons.join(", ");
        list.prepend(item);
        this.failures.set(failure.id, item);
      }
      if (failure.picture && !item.querySelector("img")) {
        const image = Object.assign(new Image(), { src: `camera/${this.index}/failure/${failure.id}.jpg`, alt: `Part that fails: ${failure.reasons.join(", ")}` });
        image.addEventListener("error", () => image.replaceWith("no picture"));
        item.querySelector(".crop").replaceChildren(image);
      }
      const at = new Date(1000 * failure.time).toLocaleTimeString("en-GB");
      item.querySelector(".when").textContent = `${at} · ${plural(failure.seen, "frame")}`;
    }
  }

  showParts (frame) {
    const cell = (name, text, kind = "") => Object.assign(document.createElement(name), { textContent: text, className: kind });
    const row = (cells, kind) => {
      const element = Object.assign(document.createElement("tr"), { className: kind });
      element.append(...cells);
      return element;
    };
    const { columns, rows } = frame ?? { columns: [], rows: [] };
    const heads = ["part", ...columns].map(name => cell("th", name)).concat(cell("th", "verdict", "verdict"));
    heads.forEach(head => { head.scope = "col"; });
    this.find(".parts thead").replaceChildren(row(heads, ""));
    this.find(".parts tbody").replaceChildren(...rows.map(part => row([cell("td", part.number),
      ...part.values.map(value => cell("td", number(value, 2))),
      cell("td", part.reasons.length ? `FAIL: ${part.reasons.join(", ")}` : "pass", "verdict")], part.reasons.length ? "fails" : "")));
    const more = frame ? frame.parts - rows.length : 0;
    this.find(".more").hidden = more <= 0;
    this.write(".more", `${number(more)} more parts are not listed.`);
  }
}

let ALL_MEASURES = [];

function show (state) {
  document.title = state.title;
  byId("title").textContent = state.title;
  token = state.token;
  ALL_MEASURES = state.measures;
  byId("read-only").hidden = !state.read_only;
  byId("open-login").hidden = state.read_only || token !== null;
  byId("log-out").hidden = token === null;
  byId("nothing").hidden = state.cameras.length > 0;
  while (cards.length > state.cameras.length)
    cards.pop().remove();
  state.cameras.forEach((camera, index) => {
    cards[index] ??= new Card(index);
    cards[index].update(camera);
  });
  byId("clock").textContent = new Date().toLocaleTimeString("en-GB");
}

function report (state, text) {
  const place = byId("connection");
  if (place.textContent !== text)
    place.textContent = text;
  place.dataset.state = state;
}

function connect () {
  socket = new WebSocket(Object.assign(new URL("live", location), { protocol: location.protocol.replace("http", "ws") }));
  socket.addEventListener("open", () => {
    pause = 500;
    report("running", "Live");
    cards.forEach(card => card.begin());
  });
  socket.addEventListener("message", event => show(JSON.parse(event.data)));
  socket.addEventListener("close", () => {
    report("lost", "No connection");
    setTimeout(connect, pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  });
}

// The session belongs to the connection, so both begin anew together.
function reconnect () {
  pause = 50;
  socket.close();
}

// Resolves to null, or to the sentence that says what is wrong.
async function send (path, values) {
  try {
    const response = await fetch(path, { method: "POST", body: JSON.stringify(values),
      headers: { "Content-Type": "application/json", "X-Dashboard-Token": token ?? "" } });
    return response.ok ? null : (await response.json()).error;
  } catch {
    return "The server does not answer.";
  }
}

byId("open-login").addEventListener("click", () => {
  byId("login-problem").textContent = "";
  byId("login").showModal();
});
byId("cancel-login").addEventListener("click", () => byId("login").close());
byId("login").addEventListener("submit", async event => {
  event.preventDefault();
  const problem = await send("api/login", { password: byId("password").value });
  byId("password").value = "";
  byId("login-problem").textContent = problem ?? "";
  if (problem === null) {
    byId("login").close();
    reconnect();
  } else {
    byId("password").focus();
  }
});
byId("log-out").addEventListener("click", async () => {
  await send("api/logout", {});
  reconnect();
});
connect();

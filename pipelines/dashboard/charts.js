// SPDX-License-Identifier: LGPL-2.1-or-later
// The two charts of a camera, drawn by Chart.js, and the tables with the same numbers.
/* global Chart */

const MINUTES = 5;
const TABLE_SECONDS = 30;
const charts = new Set();
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.defaults.font.size = 12;

export const number = (value, digits = 1) =>
  value === null || value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: digits });
export const percent = (parts, failed) => (parts ? `${number(100 * (1 - failed / parts))} %` : "–");

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Failing bars are hatched: they differ by more than their colour.
function hatched (ink) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  pen.strokeStyle = ink;
  pen.lineWidth = 2;
  for (const shift of [-6, 0, 6]) {
    pen.beginPath();
    pen.moveTo(shift, 6);
    pen.lineTo(shift + 6, 0);
    pen.stroke();
  }
  return pen.createPattern(tile, "repeat");
}

function axis (title, more = {}) {
  return {
    title: { display: Boolean(title), text: title, color: colour("--muted") },
    ticks: { color: colour("--muted"), maxRotation: 0, autoSkipPadding: 16, ...more.ticks },
    grid: { color: colour("--line"), drawBorder: false, ...more.grid },
    ...more.scale,
  };
}

class Drawing {
  constructor (section, plugins = []) {
    this.section = section;
    this.canvas = section.querySelector("canvas");
    this.details = section.querySelector("details");
    this.body = section.querySelector("tbody");
    this.chart = new Chart(this.canvas, { ...this.configuration(), plugins });
    this.theme();
    charts.add(this);
  }

  remove () {
    charts.delete(this);
    this.chart.destroy();
  }

  theme () {
    this.chart.options = this.options();
    this.paint();
    this.chart.update("none");
  }

  // Numbers for those who do not see the chart; made where the table is open.
  fill (rows) {
    if (this.details.open)
      this.body.replaceChildren(...rows.map(cells => {
        const row = document.createElement("tr");
        row.append(...cells.map(text => Object.assign(document.createElement("td"), { textContent: text })));
        return row;
      }));
  }

  common (scales) {
    return {
      animation: false, responsive: true, maintainAspectRatio: false, normalized: true, scales,
      interaction: { mode: "index", intersect: false },
      plugins: { legend: { display: false }, tooltip: { displayColors: false } },
    };
  }
}

export class PassRate extends Drawing {
  configuration () {
    return { type: "line", data: { datasets: [{ data: [], borderWidth: 2, pointRadius: 0, pointHitRadius: 8, fill: "start", spanGaps: false, tension: 0 }] } };
  }

  options () {
    const options = this.common({
      x: axis("", { scale: { type: "linear", min: -MINUTES, max: 0 }, grid: { display: false },
        ticks: { stepSize: 1, callback: x => (x ? `${-x} min ago` : "now") } }),
      y: axis("", { scale: { min: 0, max: 100 }, ticks: { stepSize: 25, callback: y => `${y} %` } }),
    });
    options.plugins.tooltip.callbacks = {
      title: ([item]) => `${number(-60 * item.parsed.x, 0)} s ago`, label: item => `${number(item.parsed.y)} % pass`,
    };
    return options;
  }

  paint () {
    const line = this.chart.data.datasets[0];
    line.borderColor = colour("--pass");
    line.backgroundColor = colour("--pass") + "26";
  }

  update (series) {
    this.chart.data.datasets[0].data = series.map(([age, parts, failed]) => ({ x: age / 60, y: parts ? 100 * (1 - failed / parts) : null }));
    this.chart.update("none");
    const sum = series.reduce((all, [, parts, failed]) => [all[0] + parts, all[1] + failed], [0, 0]);
    const rates = series.filter(([, parts]) => parts).map(([, parts, failed]) => 100 * (1 - failed / parts));
    this.canvas.setAttribute("aria-label", rates.length
      ? `Pass rate of the last ${MINUTES} minutes: ${percent(...sum)} of ${number(sum[0])} parts, lowest ${number(Math.min(...rates))} %, now ${number(rates.at(-1))} %.`
      : "No part has been inspected yet.");
    this.fill(group(series).map(([from, parts, failed]) => [`${from} to ${from + TABLE_SECONDS} s`, number(parts), number(failed), percent(parts, failed)]));
    return sum;
  }
}

// Sums of TABLE_SECONDS each, the newest first.
function group (series) {
  const sums = new Map();
  for (const [age, parts, failed] of series) {
    const from = Math.floor(-age / TABLE_SECONDS) * TABLE_SECONDS;
    const sum = sums.get(from) ?? [from, 0, 0];
    sums.set(from, [from, sum[1] + parts, sum[2] + failed]);
  }
  return [...sums.values()].sort((a, b) => a[0] - b[0]);
}

// Draws a dashed line at each limit of the measure.
const limitLines = {
  id: "limits",
  afterDatasetsDraw (chart) {
    const { edges, limits } = chart.shown ?? {};
    if (!edges?.length)
      return;
    const { left, right, top, bottom } = chart.chartArea, pen = chart.ctx;
    pen.save();
    pen.strokeStyle = colour("--limit");
    pen.lineWidth = 1.5;
    pen.setLineDash([5, 4]);
    for (const limit of limits) {
      const x = left + (right - left) * (limit - edges[0]) / (edges.at(-1) - edges[0]);
      if (x >= left && x <= right) {
        pen.beginPath();
        pen.moveTo(x, top);
        pen.lineTo(x, bottom);
        pen.stroke();
      }
    }
    pen.restore();
  },
};

export class Distribution extends Drawing {
  constructor (section) {
    super(section, [limitLines]);
  }

  configuration () {
    const set = label => ({ label, data: [], categoryPercentage: 1, barPercentage: 0.92, borderWidth: 1 });
    return { type: "bar", data: { labels: [], datasets: [set("pass"), set("fail")] } };
  }

  options () {
    const options = this.common({
      x: axis("", { scale: { stacked: true }, grid: { display: false } }),
      y: axis("", { scale: { stacked: true, beginAtZero: true }, ticks: { precision: 0, maxTicksLimit: 5 } }),
    });
    return options;
  }

  paint () {
    const [pass, fail] = this.chart.data.datasets;
    pass.backgroundColor = pass.borderColor = colour("--pass");
    fail.backgroundColor = hatched(colour("--fail"));
    fail.borderColor = colour("--fail");
  }

  update (measure, { edges, passed, failed }, limits) {
    const ends = limits.filter(limit => limit.name === measure).flatMap(limit => [limit.low, limit.high]).filter(end => end !== null);
    this.chart.shown = { edges, limits: ends };
    this.chart.data.labels = passed.map((_, i) => number(edges[i], 4));
    this.chart.data.datasets[0].data = passed;
    this.chart.data.datasets[1].data = failed;
    this.chart.update("none");
    const sum = list => list.reduce((a, b) => a + b, 0);
    this.canvas.setAttribute("aria-label", edges.length
      ? `Distribution of ${measure} of the last ${number(sum(passed) + sum(failed))} parts, from ${number(edges[0], 4)} to ${number(edges.at(-1), 4)}: ${number(sum(passed))} pass, ${number(sum(failed))} fail.`
      : "No part has been measured yet.");
    this.fill(passed.map((count, i) => [number(edges[i], 4), number(edges[i + 1], 4), number(count), number(failed[i])]));
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(chart => chart.theme()));

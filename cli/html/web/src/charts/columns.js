import * as Plot from "@observablehq/plot";
import { colour, ticks } from "../axes.js";

/** A histogram: how many of each class. */
export function columns(data, width) {
  const rows = data.columns.map((column, index) => ({ ...column, index }));
  const labels = Math.max(1, Math.ceil((rows.length * 8 * Math.max(...rows.map((row) => row.label.length))) / width));
  const svg = Plot.plot({
    width,
    height: 200,
    marginBottom: 40,
    marginLeft: 52,
    x: { type: "band", domain: rows.map((row) => row.index), padding: 0.15, label: data.axis, labelArrow: "none",
      labelAnchor: "center", tickSize: 0,
      tickFormat: (index) => (index % labels === 0 ? rows[index].label : "") },
    y: { label: data.amounts, labelArrow: "none", grid: true, tickFormat: ticks(""), ticks: 4 },
    marks: [Plot.barY(rows, { x: "index", y: "value", fill: colour(0) }), Plot.ruleY([0])],
  });
  const x = svg.scale("x");
  const y = svg.scale("y");
  const marks = rows.map((row) => ({ x: x.apply(row.index) + x.bandwidth / 2, y: y.apply(row.value), text: row.text }));
  return { svg, marks };
}

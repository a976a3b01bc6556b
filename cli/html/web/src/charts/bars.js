import * as Plot from "@observablehq/plot";
import { colour, logAxis, logTicks, shortened, textWidth, ticks } from "../axes.js";

/**
 * Amounts beside each other, each with its interval: bars from zero, or dots on a logarithmic axis
 * where the amounts differ too much for bars.
 */
export function bars(data, width) {
  const rows = data.bars.map((bar, index) => ({ ...bar, index }));
  const ends = rows.flatMap((bar) => [bar.value, bar.low ?? bar.value, bar.high ?? bar.value]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const far = least > 0 && most / least > 20;
  const names = rows.map((bar) => bar.label);
  const marginLeft = textWidth(names, width * 0.5);
  const fill = (bar) => (bar.chosen ? colour(0) : "var(--muted)");
  const domain = far ? [least / 1.3, most * 1.3] : [0, most * 1.02];
  const svg = Plot.plot({
    width,
    height: 26 * rows.length + 56,
    marginLeft,
    marginRight: 18,
    marginBottom: 40,
    x: far
      ? { type: "log", domain, axis: null }
      : { domain, label: data.axis, labelArrow: "none", labelAnchor: "center", tickFormat: ticks(data.unit), grid: true,
          ticks: Math.floor((width - marginLeft) / 80) },
    y: { type: "band", domain: rows.map((bar) => bar.index), label: null, padding: 0.35, tickSize: 0,
      tickFormat: (index) => shortened(names[index], marginLeft - 10) },
    marks: [
      ...(far ? logAxis("bottom", logTicks(...domain, (width - marginLeft) / 70), data.unit, data.axis) : []),
      far
        ? Plot.dot(rows, { x: "value", y: "index", r: 5, fill, stroke: "none" })
        : Plot.barX(rows, { x: "value", y: "index", fill }),
      Plot.ruleY(rows.filter((bar) => bar.low != null), { x1: "low", x2: "high", y: "index", stroke: "currentColor", strokeWidth: 1.5, marker: "tick" }),
    ],
  });
  const x = svg.scale("x");
  const y = svg.scale("y");
  const marks = rows.map((bar) => ({
    x: x.apply(bar.value),
    y: y.apply(bar.index) + y.bandwidth / 2,
    text: bar.text,
  }));
  return { svg, marks };
}

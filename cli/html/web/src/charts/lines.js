import * as Plot from "@observablehq/plot";
import { colour, logAxis, logTicks } from "../axes.js";

/**
 * How an amount changes with a number, a line a series, with the band of its intervals: where there is
 * but one, a bar.
 */
export function lines(data, width) {
  const points = data.series.flatMap((series, index) => series.points.map((point) => ({ ...point, index })));
  const ends = points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const known = points.filter((point) => point.low != null);
  const lone = known.filter((point) => known.filter((other) => other.index === point.index).length === 1);
  const numbers = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const domain = [Math.min(...ends) / 1.1, Math.max(...ends) * 1.1];
  const stroke = (point) => colour(point.index);
  const svg = Plot.plot({
    width,
    height: 300,
    marginLeft: 64,
    marginRight: 18,
    marginBottom: 40,
    x: { type: "log", domain: [numbers[0], Math.max(numbers.at(-1), 2 * numbers[0])], inset: 12, axis: null },
    y: { type: "log", domain, axis: null },
    marks: [
      ...logAxis("bottom", numbers, "", data.x),
      ...logAxis("left", logTicks(...domain), data.unit, data.y),
      Plot.areaY(known, { x: "x", y1: "low", y2: "high", z: "index", fill: stroke, fillOpacity: 0.15 }),
      Plot.ruleX(lone, { x: "x", y1: "low", y2: "high", stroke, strokeWidth: 6, strokeOpacity: 0.3 }),
      Plot.line(points, { x: "x", y: "y", z: "index", stroke, strokeWidth: 2 }),
      Plot.dot(points, { x: "x", y: "y", r: 4, fill: stroke }),
    ],
  });
  const x = svg.scale("x");
  const y = svg.scale("y");
  const marks = points.map((point) => ({ x: x.apply(point.x), y: y.apply(point.y), text: point.text }));
  return { svg, marks, keys: data.series.map((series) => series.name) };
}

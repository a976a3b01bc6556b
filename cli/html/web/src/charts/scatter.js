import * as Plot from "@observablehq/plot";
import { colour, logAxis, logTicks } from "../axes.js";

/**
 * Points on logarithmic axes. `diagonal`: both axes are of one kind; where they are equal, and where
 * they differ by a tenth, is drawn. `level`: the same of one axis around a value.
 */
export function scatter(data, width) {
  const points = data.series.flatMap((series, index) => series.points.map(([x, y, text]) => ({ x, y, text, index })));
  const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const domain = (values) => [least(values) / 1.15, most(values) * 1.15];
  const [xDomain, yDomain] = data.diagonal ? [domain(xs.concat(ys)), domain(xs.concat(ys))] : [domain(xs), domain(ys.concat(data.level ?? []))];
  const height = data.diagonal ? Math.min(width, 520) : 320;
  const along = (factor) => [
    { x: xDomain[0], y: factor * xDomain[0] },
    { x: xDomain[1], y: factor * xDomain[1] },
  ];
  const guides = data.diagonal
    ? [
        Plot.line(along(1), { x: "x", y: "y", stroke: "currentColor", strokeOpacity: 0.7, clip: true }),
        ...[0.9, 1.1].map((factor) =>
          Plot.line(along(factor), { x: "x", y: "y", stroke: "currentColor", strokeOpacity: 0.5, strokeDasharray: "2,4", clip: true })),
      ]
    : data.level
      ? [Plot.ruleY([data.level], { strokeOpacity: 0.7 }),
         Plot.ruleY([0.9 * data.level, 1.1 * data.level], { strokeOpacity: 0.5, strokeDasharray: "2,4" })]
      : [];
  const svg = Plot.plot({
    width,
    height,
    marginLeft: 64,
    marginRight: 18,
    marginBottom: 40,
    x: { type: "log", domain: xDomain, axis: null },
    y: { type: "log", domain: yDomain, axis: null },
    marks: [
      ...logAxis("bottom", logTicks(...xDomain, width / 80), data.x_unit, data.x),
      ...logAxis("left", logTicks(...yDomain, height / 45), data.y_unit, data.y),
      ...guides,
      Plot.dot(points, { x: "x", y: "y", r: points.length > 500 ? 2 : 3.5, fill: (point) => colour(point.index),
        fillOpacity: 0.7, symbol: "circle" }),
    ],
  });
  const x = svg.scale("x");
  const y = svg.scale("y");
  const marks = points
    .map((point) => ({ x: x.apply(point.x), y: y.apply(point.y), text: point.text }))
    .sort((a, b) => a.x - b.x);
  return { svg, marks, keys: data.series.map((series) => series.name) };
}

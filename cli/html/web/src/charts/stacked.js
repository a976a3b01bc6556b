import * as Plot from "@observablehq/plot";
import { colour, shortened, textWidth } from "../axes.js";

/** What each total is made of, as shares of it. */
export function stacked(data, width) {
  const pieces = data.rows.flatMap((row, index) => {
    let from = 0;
    return row.parts.map((part, kind) => {
      const piece = { index, kind, from, to: from + part.share, text: part.text };
      from = piece.to;
      return piece;
    });
  });
  const names = data.rows.map((row) => row.label);
  const marginLeft = textWidth(names, width * 0.5);
  const svg = Plot.plot({
    width,
    height: 26 * names.length + 56,
    marginLeft,
    marginRight: 18,
    marginBottom: 40,
    x: { domain: [0, 1], label: data.axis, labelArrow: "none", labelAnchor: "center", grid: true, ticks: 5,
      tickFormat: (share) => `${Math.round(100 * share)} %` },
    y: { type: "band", domain: names.map((_, index) => index), label: null, padding: 0.35, tickSize: 0,
      tickFormat: (index) => shortened(names[index], marginLeft - 10) },
    marks: [
      Plot.barX(pieces, { x1: "from", x2: "to", y: "index", fill: (piece) => colour(piece.kind), inset: 0.5 }),
    ],
  });
  const x = svg.scale("x");
  const y = svg.scale("y");
  const marks = pieces
    .filter((piece) => piece.to > piece.from)
    .map((piece) => ({ x: x.apply((piece.from + piece.to) / 2), y: y.apply(piece.index) + y.bandwidth / 2, text: piece.text }));
  return { svg, marks, keys: data.parts };
}

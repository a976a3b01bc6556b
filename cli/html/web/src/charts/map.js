import * as Plot from "@observablehq/plot";
import { colour } from "../axes.js";

const powers = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];
const power = (exponent) => `10${[...String(exponent)].map((digit) => powers[digit]).join("")}`;

/** `count` even steps over a range, as cells around them. */
function cells([low, high], count) {
  const step = (high - low) / (count - 1);
  return Array.from({ length: count }, (_, index) => [
    Math.max(low, low + (index - 0.5) * step),
    Math.min(high, low + (index + 0.5) * step),
  ]);
}

/**
 * Values where there are none taken from the nearest in the column, or else in the row: so that lines
 * of equal value go on to the limits, beyond which they are covered.
 */
function continued(values, columns, rows) {
  const filled = values.slice();
  for (let column = 0; column < columns; ++column) {
    const known = [];
    for (let row = 0; row < rows; ++row) if (values[row * columns + column] != null) known.push(row);
    if (known.length === 0) continue;
    for (let row = 0; row < rows; ++row) {
      const nearest = Math.max(known[0], Math.min(row, known.at(-1)));
      if (filled[row * columns + column] == null) filled[row * columns + column] = values[nearest * columns + column];
    }
  }
  for (let row = 0; row < rows; ++row) {
    const line = filled.slice(row * columns, (row + 1) * columns);
    const first = line.findIndex((value) => value != null);
    const last = line.findLastIndex((value) => value != null);
    line.forEach((value, column) => {
      if (value == null && first >= 0) filled[row * columns + column] = line[Math.max(first, Math.min(column, last))];
    });
  }
  return filled;
}

/** Cells that a line passes and that touch each other, the most first. */
function connected(cells) {
  const left = new Map(cells.map((cell) => [`${cell.row},${cell.column}`, cell]));
  const lines = [];
  while (left.size > 0) {
    const [key, first] = left.entries().next().value;
    left.delete(key);
    const line = [first];
    for (const { row, column } of line) {
      for (let near = 0; near < 9; ++near) {
        const at = `${row + Math.floor(near / 3) - 1},${column + (near % 3) - 1}`;
        if (!left.has(at)) continue;
        line.push(left.get(at));
        left.delete(at);
      }
    }
    lines.push(line);
  }
  return lines.sort((a, b) => b.length - a.length);
}

/**
 * Where to write a level's value: once on each of its lines, in the middle. Islands that are small beside
 * the longest go without.
 */
function labelPlaces(data) {
  const { columns, rows } = data;
  const values = data.values ?? data.ratio;
  const at = ([low, high], index, count) => low + ((high - low) * index) / (count - 1);
  return data.levels.flatMap((level) => {
    const crossed = [];
    for (let row = 2; row < rows - 2; ++row) {
      for (let column = 1; column + 2 < columns; ++column) {
        const corner = row * columns + column;
        const [a, right, above, across] = [0, 1, columns, columns + 1].map((step) => values[corner + step]);
        const corners = [a, right, above, across];
        if (corners.includes(null) || corners.includes(undefined)) continue;
        if (corners.every((each) => each < level) || corners.every((each) => each >= level)) continue;
        const along = a < level !== right < level ? (level - a) / (right - a) : 0;
        const upwards = along === 0 && a < level !== above < level ? (level - a) / (above - a) : 0;
        crossed.push({ row, column, level, x: at(data.x_range, column + along, columns), y: at(data.y_range, row + upwards, rows) });
      }
    }
    const lines = connected(crossed);
    return lines.filter((line) => 4 * line.length >= lines[0].length).map((line) => {
      const upwards = line.sort((one, other) => one.row - other.row || one.column - other.column);
      return upwards[Math.floor(upwards.length / 2)];
    });
  });
}

/**
 * Points by where their names stand, each where it covers neither another name nor a point: above on
 * the right, else below, else on the left. `place` gives pixels.
 */
function namedPlaces(points, place) {
  const ways = [["start", 10, -9], ["start", 10, 11], ["end", -10, -9], ["end", -10, 11]];
  const dots = points.map(place);
  const boxes = dots.map(([x, y]) => ({ x1: x - 6, x2: x + 6, y1: y - 6, y2: y + 6 }));
  const free = (box) => boxes.every((each) => box.x2 < each.x1 || box.x1 > each.x2 || box.y2 < each.y1 || box.y1 > each.y2);
  const groups = ways.map(([textAnchor, dx, dy]) => ({ textAnchor, dx, dy, points: [] }));
  points.forEach((point, index) => {
    const [x, y] = dots[index];
    const box = ([anchor, dx, dy]) => {
      const length = 7 * point.name.length;
      const x1 = anchor === "start" ? x + dx : x + dx - length;
      return { x1, x2: x1 + length, y1: y + dy - 7, y2: y + dy + 7 };
    };
    const chosen = Math.max(0, ways.findIndex((way) => free(box(way))));
    boxes.push(box(ways[chosen]));
    groups[chosen].points.push(point);
  });
  return groups.filter((group) => group.points.length > 0);
}

/**
 * A plane of all sizes of matrices on logarithmic axes, between the diagonal and the dense matrix:
 * either `values`, or `fastest`, an index a place, paler the closer the second comes: `ratio` of
 * their times. Lines of equal value or ratio at `levels`. Matrices are points with names.
 */
export function map(data, width) {
  const { columns, rows, x_range, y_range } = data;
  const height = Math.min(width * 0.8, 520);
  const [xCells, yCells] = [cells(x_range, columns), cells(y_range, rows)];
  const known = data.values?.filter((value) => value != null) ?? [];
  const largest = known.reduce((a, b) => Math.max(a, b), 0);
  const places = [];
  const given = data.values ?? data.fastest;
  const ratios = data.ratio && continued(data.ratio, columns, rows);
  const everywhere = continued(given, columns, rows);
  // Cells that lie partly beyond a limit are drawn whole, and covered there.
  const near = (place) =>
    [-1, 0, 1].some((down) => [-1, 0, 1].some((right) => given[place + down * columns + right] != null));
  everywhere.forEach((value, place) => {
    if (value == null || !near(place)) return;
    const [x1, x2] = xCells[place % columns];
    const [y1, y2] = yCells[Math.floor(place / columns)];
    const strength = data.values ? value / largest : Math.min(1, (ratios[place] ?? 2) - 1);
    places.push({ x1, x2, y1, y2, colour: data.values ? 0 : value, strength: Math.round(20 + 55 * strength) });
  });
  const exponents = ([low, high]) => {
    const all = [];
    for (let each = Math.ceil(low); each <= high; ++each) all.push(each);
    return all;
  };
  const limit = (of) => [
    { x: x_range[0], y: of(x_range[0]) },
    { x: x_range[1], y: of(x_range[1]) },
  ];
  const dense = (x) => 2 * x;
  const diagonal = (x) => x + Math.log10(data.block);
  const cover = { x: "x", fill: "var(--paper)", clip: true };
  const line = { x: "x", y: "y", stroke: "currentColor", strokeWidth: 1.2, clip: true };
  const halo = { stroke: "var(--paper)", strokeWidth: 4, fill: "currentColor" };
  const margins = { marginLeft: 52, marginRight: 18, marginTop: 20, marginBottom: 40 };
  const share = (value, [low, high]) => (value - low) / (high - low);
  const pixels = ({ x, y }) => [
    margins.marginLeft + share(x, x_range) * (width - margins.marginLeft - margins.marginRight),
    height - margins.marginBottom - share(y, y_range) * (height - margins.marginTop - margins.marginBottom),
  ];
  const svg = Plot.plot({
    width,
    height,
    ...margins,
    x: { domain: x_range, ticks: exponents(x_range), tickFormat: power, label: data.x, labelArrow: "none", labelAnchor: "center" },
    y: { domain: y_range, ticks: exponents(y_range), tickFormat: power, label: data.y, labelArrow: "none" },
    marks: [
      // Opaque, for translucent cells show their seams in print.
      Plot.rect(places, { x1: "x1", x2: "x2", y1: "y1", y2: "y2", inset: -0.3, shapeRendering: "crispEdges",
        fill: { value: (place) => `color-mix(in srgb, ${colour(place.colour)} ${place.strength}%, var(--paper))`, scale: null } }),
      ...(data.levels.length > 0
        ? [Plot.contour(ratios ?? everywhere, { width: columns, height: rows, x1: xCells[0][0], x2: xCells.at(-1)[1],
            y1: yCells[0][0], y2: yCells.at(-1)[1], value: (value) => value, thresholds: data.levels,
            stroke: "currentColor", strokeOpacity: 0.6, strokeWidth: 0.8 })]
        : []),
      Plot.areaY(limit(dense), { ...cover, y1: "y", y2: () => y_range[1] + 20 }),
      Plot.areaY(limit(diagonal), { ...cover, y1: () => y_range[0] - 20, y2: "y" }),
      // Contours run along the edges of their grid.
      Plot.frame({ stroke: "var(--paper)", strokeWidth: 3 }),
      Plot.line(limit(dense), { ...line, strokeDasharray: "6,3" }),
      Plot.line(limit(diagonal), { ...line, strokeDasharray: "2,3" }),
      Plot.text(labelPlaces(data), { x: "x", y: "y", text: (place) => place.level + (data.unit ?? ""), fontSize: 11, ...halo }),
      Plot.dot(data.points, { x: "x", y: "y", r: 6, fill: "currentColor", stroke: "var(--paper)", strokeWidth: 2 }),
      ...namedPlaces(data.points, pixels).map(({ points, textAnchor, dx, dy }) =>
        Plot.text(points, { x: "x", y: "y", text: "name", textAnchor, dx, dy, fontSize: 12, fontWeight: 600, ...halo, clip: false })),
      Plot.frame({ strokeOpacity: 0.3 }),
    ],
  });
  const x = svg.scale("x");
  const y = svg.scale("y");
  const marks = data.points.map((point) => ({ x: x.apply(point.x), y: y.apply(point.y), text: point.text }));
  return { svg, marks, keys: data.names };
}

import * as Plot from "@observablehq/plot";
import { format, ticks as rounded } from "d3";

const si = format("~s");
const plain = format("~r");

/** Numbers of an axis with their unit: "20 µs", "3 GFlop/s". */
export function ticks(unit) {
  if (unit === "s") return (value) => (value === 0 ? "0" : `${si(value).replace(/([a-z\u00b5]?)$/, " $1")}s`);
  return (value) => (unit ? `${plain(value)} ${unit}` : value >= 1000 ? si(value) : plain(value));
}

/** Colours of series, told apart by the colour-blind; style.css has them for light and dark. */
export const colour = (index) => `var(--k${index % 6})`;

/**
 * Round numbers for an axis of positive values: 1, 2 and 5 times powers of ten, or only those powers; of a
 * range that has not three of them, finer ones.
 */
export function logTicks(low, high, most = 7) {
  const all = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); ++decade) {
    for (const digit of [1, 2, 5]) all.push(digit * 10 ** decade);
  }
  const inside = (list) => list.filter((value) => value >= low * 0.999 && value <= high * 1.001);
  const some = inside(all);
  if (some.length < 3) return rounded(low, high, 4);
  const powers = inside(all.filter((_, index) => index % 3 === 0));
  if (some.length <= most || powers.length < 3) return some;
  const stride = Math.ceil(powers.length / most);
  return powers.filter((_, index) => index % stride === 0);
}

/**
 * The marks of a logarithmic axis below or at the left, whose scale has `axis: null`. All of its numbers
 * are written: by itself Plot leaves out some.
 */
export function logAxis(side, values, unit, label) {
  const text = ticks(unit);
  return side === "bottom"
    ? [Plot.gridX(values), Plot.axisX(values, { text, label, labelArrow: "none", labelAnchor: "center" })]
    : [Plot.gridY(values), Plot.axisY(values, { text, label, labelArrow: "none" })];
}

/** The share that the widest of these texts takes of a chart, in pixels, at most `most`. */
export function textWidth(texts, most) {
  return Math.min(most, 7 * Math.max(0, ...texts.map((text) => text.length)) + 14);
}

/** A text as short as its place: without its middle, as its end tells it from others. */
export function shortened(text, pixels) {
  const most = Math.max(8, Math.floor(pixels / 7));
  const begin = Math.floor((most - 1) / 3);
  return text.length <= most ? text : `${text.slice(0, begin)}\u2026${text.slice(text.length - (most - 1 - begin))}`;
}

// Draws the charts of a page from the data that stands in it. Without this the page has their tables.
import { bars } from "./charts/bars.js";
import { columns } from "./charts/columns.js";
import { lines } from "./charts/lines.js";
import { map } from "./charts/map.js";
import { scatter } from "./charts/scatter.js";
import { stacked } from "./charts/stacked.js";
import { legend } from "./legend.js";
import { Tooltip } from "./tooltip.js";

const kinds = { bars, columns, lines, map, scatter, stacked };

/** Draws one figure as wide as its place, and again when that changes. */
function attach(figure) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const place = figure.querySelector(".plot");
  const tooltip = new Tooltip(place, data.description);
  let drawn = 0;
  const draw = () => {
    const width = Math.max(280, Math.floor(place.clientWidth));
    if (width === drawn) return;
    drawn = width;
    const { svg, marks, keys } = kinds[data.kind](data, width);
    // Plot's own style sheet would need a looser content security policy; style.css has its rules.
    for (const style of svg.querySelectorAll("style")) style.remove();
    svg.setAttribute("aria-hidden", "true");
    place.replaceChildren(...(keys ? [legend(keys)] : []), svg, ...tooltip.elements());
    tooltip.show(svg, marks);
  };
  draw();
  new ResizeObserver(draw).observe(place);
  figure.querySelector("details").open = false;
}

for (const figure of document.querySelectorAll("figure.chart")) attach(figure);

/** A line of keys: what the colours of a chart mean. */
export function legend(keys) {
  const list = document.createElement("ul");
  list.className = "legend";
  keys.forEach((name, index) => {
    const item = document.createElement("li");
    const swatch = document.createElement("span");
    swatch.className = `swatch k${index % 6}`;
    item.append(swatch, name);
    list.append(item);
  });
  return list;
}

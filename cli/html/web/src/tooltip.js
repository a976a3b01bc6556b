/**
 * What the marks of a chart say, one at a time: beside the pointer, or by the arrow keys once the
 * chart has the focus. Screen readers hear the same text.
 */
export class Tooltip {
  constructor(place, description) {
    this.place = place;
    this.marks = [];
    this.current = -1;
    this.bubble = document.createElement("div");
    this.bubble.className = "tooltip";
    this.bubble.hidden = true;
    this.ring = document.createElement("div");
    this.ring.className = "ring";
    this.ring.hidden = true;
    this.spoken = document.createElement("p");
    this.spoken.className = "spoken";
    this.spoken.setAttribute("aria-live", "polite");
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-roledescription", "chart");
    place.setAttribute("aria-label", `${description} Arrow keys go from mark to mark.`);
    place.addEventListener("pointermove", (event) => this.follow(event));
    place.addEventListener("pointerdown", (event) => this.follow(event));
    place.addEventListener("pointerleave", () => this.hide());
    place.addEventListener("keydown", (event) => this.press(event));
    place.addEventListener("blur", () => this.hide());
  }

  elements() {
    return [this.ring, this.bubble, this.spoken];
  }

  /** The marks of a drawing: places in its own units, and texts. */
  show(svg, marks) {
    this.svg = svg;
    this.marks = marks;
    this.hide();
  }

  hide() {
    this.current = -1;
    this.bubble.hidden = true;
    this.ring.hidden = true;
  }

  /** A place in the drawing as pixels from the corner of the chart. */
  pixels({ x, y }) {
    const box = this.svg.getBoundingClientRect();
    const place = this.place.getBoundingClientRect();
    const scale = box.width / this.svg.viewBox.baseVal.width;
    return { left: box.left - place.left + x * scale, top: box.top - place.top + y * scale };
  }

  follow(event) {
    const place = this.place.getBoundingClientRect();
    const reach = 40;
    let nearest = -1;
    let least = reach * reach;
    this.marks.forEach((mark, index) => {
      const { left, top } = this.pixels(mark);
      const distance =
        (left - (event.clientX - place.left)) ** 2 + (top - (event.clientY - place.top)) ** 2;
      if (distance < least) [least, nearest] = [distance, index];
    });
    if (nearest < 0) this.hide();
    else this.point(nearest);
  }

  press(event) {
    const last = this.marks.length - 1;
    const next = {
      ArrowRight: Math.min(this.current + 1, last),
      ArrowDown: Math.min(this.current + 1, last),
      ArrowLeft: Math.max(this.current - 1, 0),
      ArrowUp: Math.max(this.current - 1, 0),
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === "Escape") this.hide();
    if (next === undefined || last < 0) return;
    event.preventDefault();
    this.point(next);
    this.spoken.textContent = this.marks[next].text;
  }

  point(index) {
    this.current = index;
    const mark = this.marks[index];
    const { left, top } = this.pixels(mark);
    this.bubble.textContent = mark.text;
    this.bubble.hidden = false;
    this.ring.hidden = false;
    this.ring.style.left = `${left}px`;
    this.ring.style.top = `${top}px`;
    const room = this.place.clientWidth - this.bubble.offsetWidth;
    this.bubble.style.left = `${Math.max(0, Math.min(left + 12, room))}px`;
    const above = top - this.bubble.offsetHeight - 12;
    this.bubble.style.top = `${above >= 0 ? above : top + 14}px`;
  }
}

// A board drawn from its description, and what one touches and reads over it. It knows no game.
//
// Two layers: an SVG that is only seen, and an ARIA grid of transparent cells that is touched and read.

import { attributed, drawn, made, say } from "./data.js";

const TOUCHABLE = 36; // pixels: a finger aims at smaller cells first
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const still = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 599px)");

export class Board {
  // bottom: the side whose seat is below the board. on.play(move), on.aim(move or null, name of its cell).
  // signal: aborted when the page is left.
  constructor(description, names, bottom, on, signal) {
    this.plain = description;
    this.isTurned = (description.near ?? bottom) !== bottom;
    this.description = description;
    this.names = names;
    this.on = on;
    this.look = description.palettes.classic;
    this.position = null;
    this.pressed = [];
    this.aimed = null;
    this.hint = [];
    this.held = null;
    this.isLocked = false;
    this.pointer = "mouse";
    this.hasShapes = description.cells.some((cell) => cell.shape);
    this.zones = new Set(description.cells.map((cell) => cell.zone).filter(Boolean));
    this.svg = attributed(drawn("svg"), { "aria-hidden": "true", focusable: "false" });
    this.grid = attributed(made("div", { className: "grid" }), { role: "grid", "aria-label": say("page_board") });
    this.element = made("div", { className: "board" }, this.svg, this.grid);
    this.makeCells();
    this.place();
    this.hear(signal);
  }

  makeCells() {
    const rows = new Map();
    const first = this.description.cells.findIndex((cell) => !isSeenOnly(cell));
    this.cells = this.description.cells.map((cell, at) => {
      const element = attributed(made("div", { className: "cell", tabIndex: at === first ? 0 : -1 }), { role: "gridcell" });
      if (isSeenOnly(cell)) element.setAttribute("aria-hidden", "true");
      element.dataset.at = at;
      if (!rows.has(cell.row)) rows.set(cell.row, attributed(made("div"), { role: "row" }));
      rows.get(cell.row).append(element);
      return element;
    });
    this.grid.append(...[...rows].sort(([one], [other]) => one - other).map(([, row]) => row));
  }

  // The drawn part of the plane: the cells and a margin for coordinates, which narrow screens put into cells.
  place() {
    this.description = this.isTurned ? halfTurned(this.plain) : this.plain;
    const { box: [left, top, width, height], labels, ground } = this.description;
    const isTight = narrow.matches && ground === "squares" && !this.hasShapes;
    // In cells, so that coordinates are as large on a board of 15 columns as on one of three.
    const wide = Math.min(1.9, Math.max(0.55, width / 7.5));
    const margin = isTight || !labels.length ? 0 : (narrow.matches ? 0.42 : 0.56) * wide;
    const side = labels.some((label) => "row" in label) ? margin : 0;
    const rim = isTight ? 0 : narrow.matches && !this.description.borders.length ? 0.04 : 0.12;
    this.isTight = isTight;
    this.view = [left - (side || rim), top - (margin || rim), width + (side || rim) + rim, height + (margin || rim) + rim];
    this.margin = { top: margin, side };
    this.svg.setAttribute("viewBox", this.view.join(" "));
    this.element.style.setProperty("--shape", this.view[2] / this.view[3]);
    const isDrop = this.description.entrance === "drop";
    this.description.cells.forEach((cell, at) => {
      const [wide, high, style] = [cell.width ?? 1, cell.height ?? 1, this.cells[at].style];
      // The column's number belongs to the column.
      const extra = isDrop && cell.row === 0 ? margin : 0;
      style.left = `${((cell.x - wide / 2 - this.view[0]) / this.view[2]) * 100}%`;
      style.top = `${((cell.y - high / 2 - extra - this.view[1]) / this.view[3]) * 100}%`;
      style.width = `${(wide / this.view[2]) * 100}%`;
      style.height = `${((high + extra) / this.view[3]) * 100}%`;
      style.zIndex = cell.shape === "edge" ? 1 : ""; // an edge is touched where it lies over boxes
    });
  }

  hear(signal) {
    const { grid } = this;
    const cellOf = (event) => {
      const cell = event.target.closest(".cell");
      return cell ? Number(cell.dataset.at) : null;
    };
    grid.addEventListener("pointerdown", (event) => { this.pointer = event.pointerType; });
    grid.addEventListener("click", (event) => {
      const at = cellOf(event);
      if (at !== null) this.touch(at, this.pointer !== "mouse" && event.detail > 0);
    });
    grid.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.hover(cellOf(event)));
    grid.addEventListener("pointerleave", () => this.hover(null));
    grid.addEventListener("focusin", (event) => {
      const at = cellOf(event);
      this.cells.forEach((cell, other) => { cell.tabIndex = other === at ? 0 : -1; });
      if (event.target.matches(":focus-visible")) this.hover(at);
    });
    grid.addEventListener("focusout", () => this.hover(null));
    grid.addEventListener("keydown", (event) => this.key(event, cellOf(event)));
    narrow.addEventListener("change", () => { this.place(); this.draw(); }, { signal });
  }

  key(event, at) {
    if (at === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = this.description.cells[at];
    let next = null;
    if (event.key in STEPS) next = this.neighbour(here, ...STEPS[event.key]);
    else if (event.key === "Home" || event.key === "End") {
      next = this.description.cells.indexOf(this.row(here).at(event.key === "Home" ? 0 : -1));
    } else if (event.key === "Enter" || event.key === " ") this.touch(at, false);
    else if (event.key === "Escape") this.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== null) this.cells[next].focus();
  }

  // The nearest cell in that direction. Up and down lead to the next row, where a board has no cell straight ahead to the
  // one at the same place in its row: so the way back leads back, and a column of keys keeps to its column.
  neighbour(here, down, right) {
    const place = (cell) => this.row(cell).indexOf(cell);
    const rank = (cell) => {
      const along = (cell.y - here.y) * down + (cell.x - here.x) * right;
      const aside = Math.abs((cell.y - here.y) * right) + Math.abs((cell.x - here.x) * down);
      if (along <= 0.2 || aside > along || isSeenOnly(cell)) return null;
      if (right) return along + 1.5 * aside;
      return 10 * along + aside + (place(cell) === place(here) ? 0 : 0.1);
    };
    const ranked = this.description.cells.map((cell, at) => [rank(cell), at]).filter(([one]) => one !== null);
    return ranked.reduce((best, one) => (one[0] < best[0] ? one : best), [Infinity, null])[1];
  }

  // The cells of its row that can be reached, from left to right.
  row({ row }) {
    const found = this.description.cells.filter((cell) => cell.row === row && !isSeenOnly(cell));
    return found.sort((one, other) => one.x - other.x || one.y - other.y);
  }

  moves() {
    return (this.isLocked ? [] : this.position?.moves ?? []).filter((one) => one.press?.length !== 0);
  }

  // Whether it is the reader's turn in a game whose moves each put something on an empty cell.
  isOfCells() {
    const moves = this.moves();
    return moves.length > 0 && moves.every((one) => !one.press && !this.pieces.has(one.move));
  }

  // The moves that begin with these presses.
  reached(pressed) {
    return this.moves().filter((one) => {
      const press = one.press ?? [one.move];
      return pressed.every((tokens, step) => tokens.includes(press[step]));
    });
  }

  tokens(at) {
    const { zone } = this.description.cells[at];
    return zone ? [at, zone] : [at];
  }

  // The move that a press on this cell makes; null if there is none, undefined if more presses are needed.
  wouldPlay(at) {
    const pressed = [...this.pressed, this.tokens(at)];
    const found = this.reached(pressed);
    if (!found.length) return null;
    return found.find((one) => (one.press ?? [one.move]).length === pressed.length);
  }

  touch(at, isFinger) {
    let move = this.wouldPlay(at);
    if (move === null && this.pressed.length) {
      this.clear();
      move = this.wouldPlay(at);
    }
    if (move === null) {
      this.clear();
      // Where a move is a press on its cell, the server says why this one is refused.
      if (this.pieces.has(at) && this.isOfCells()) this.on.play(at);
      return undefined;
    }
    if (move === undefined) {
      this.pressed.push(this.tokens(at));
      this.draw();
      return undefined;
    }
    const size = this.cells[at].getBoundingClientRect().width;
    if (isFinger && size < TOUCHABLE && this.aimed !== at) {
      this.aimed = at;
      this.draw();
      return this.on.aim(move, this.nameOf(at));
    }
    this.clear();
    return this.on.play(move.move);
  }

  clear() {
    if (this.aimed !== null) this.on.aim(null, "");
    this.aimed = null;
    this.pressed = [];
    this.draw();
  }

  hover(at) {
    if (this.hovered === at) return;
    this.hovered = at;
    this.drawGhost();
  }

  lock(isLocked) {
    this.isLocked = isLocked;
    this.element.classList.toggle("locked", isLocked);
    this.drawGhost();
    this.describe();
  }

  dress(name) {
    this.look = this.description.palettes[name] ?? this.description.palettes.classic;
    this.draw();
  }

  // held: where the other side's win begins (threat), and the reader's side, while their coach holds the answer.
  show(position, hint = [], held = null) {
    const before = this.position;
    this.position = position;
    this.hint = hint;
    this.held = held;
    this.pressed = [];
    if (this.aimed !== null) this.on.aim(null, "");
    this.aimed = null;
    this.draw();
    if (before && !still.matches) this.animate(before);
  }

  // Drawing

  draw() {
    if (!this.position) return;
    this.pieces = new Map(this.position.pieces.map((piece) => [piece.at, piece]));
    const { entrance, ground } = this.description;
    this.layer = drawn("g");
    this.shapes = new Map();
    const { line } = this.position.marks;
    for (const [at, piece] of this.pieces) {
      const shape = this.piece(piece);
      if (line.length && !line.includes(at)) shape.setAttribute("opacity", 0.4);
      this.shapes.set(at, shape);
      this.layer.append(shape);
    }
    this.ghosts = drawn("g");
    const isPlate = entrance === "drop" && ground === "holes";
    const behind = isPlate ? [this.wells(), this.layer, this.plate()] : [this.frame(), this.ground(), this.layer, this.dots()];
    this.svg.replaceChildren(...behind, this.labels(), this.marks(), this.ghosts);
    this.drawGhost();
    this.describe();
  }

  rect(fill) {
    const [x, y, width, height] = this.view;
    return drawn("rect", { x, y, width, height, fill });
  }

  // Behind a plate with holes: what is seen through them.
  wells() {
    return this.rect(this.look.hole);
  }

  plate() {
    const [x, y, width, height] = this.view;
    const r = 0.42;
    const holes = this.description.cells.map((cell) =>
      `M${cell.x - r} ${cell.y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`).join("");
    const plate = drawn("path", {
      d: `M${x} ${y}h${width}v${height}h${-width}z${holes}`, fill: this.look.board, "fill-rule": "evenodd",
      stroke: this.look.line, "stroke-width": 0.035,
    });
    const strip = drawn("rect", { x, y, width, height: this.margin.top, fill: this.look.frame });
    return drawn("g", {}, plate, strip);
  }

  frame() {
    if (this.hasShapes) return this.rect(this.around());
    return this.rect(this.description.labels.length && !this.isTight ? this.look.frame : this.look.board);
  }

  ground() {
    const { ground, box: [left, top, width, height], cells } = this.description;
    const { board, line, hole } = this.look;
    const [column, row] = this.description.size;
    const shapes = this.hasShapes ? [] : [drawn("rect", { x: left, y: top, width, height, fill: board })];
    const lines = { stroke: line, "stroke-width": 0.035, fill: "none", "stroke-linecap": "square" };
    if (this.hasShapes) shapes.push(...cells.flatMap((cell) => this.cellShape(cell)), ...this.borders());
    else if (ground === "points" || ground === "squares") {
      const inset = ground === "points" ? 0.5 : 0;
      let d = "";
      for (let x = inset; x <= column - inset; x += 1) d += `M${left + x} ${top + inset}V${top + row - inset}`;
      for (let y = inset; y <= row - inset; y += 1) d += `M${left + inset} ${top + y}H${left + column - inset}`;
      shapes.push(drawn("path", { d, ...lines }));
      shapes.push(...this.stars(inset).map(([x, y]) => drawn("circle", { cx: x, cy: y, r: inset ? 0.1 : 0.07, fill: line })));
    } else {
      const gap = 0.05;
      const size = 1 - 2 * gap;
      shapes.push(...cells.map(({ x, y }) => ground === "holes"
        ? drawn("circle", { cx: x, cy: y, r: 0.42, fill: hole })
        : drawn("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 0.1, fill: hole })));
    }
    return drawn("g", {}, ...shapes);
  }

  stars(inset) {
    const [columns, rows] = this.description.size;
    if (!inset) return columns > 5 ? [[2, 2], [columns - 2, 2], [2, rows - 2], [columns - 2, rows - 2]] : [];
    const edge = columns > 11 ? 3.5 : 2.5;
    const found = [[columns / 2, rows / 2]];
    for (const x of [edge, columns - edge]) for (const y of [edge, rows - edge]) found.push([x, y]);
    return found;
  }

  // What lies around the cells of a board that is no lattice of squares.
  around() {
    const shapes = new Set(this.description.cells.map((cell) => cell.shape));
    return shapes.has("edge") ? this.look.hole : shapes.has("pit") ? this.look.board : this.look.frame;
  }

  under(shape) {
    const { board, hole, squares: [light, dark] } = this.look;
    if (shape === "pit" || shape === "store") return hole === board ? mixed(board, "#000000", 0.35) : hole;
    return { light, dark }[shape] ?? hole;
  }

  cellShape({ x, y, shape, name, width = 1, height = 1 }) {
    const { line } = this.look;
    const fill = this.under(shape);
    const drawnWith = { fill, stroke: line, "stroke-width": 0.035 };
    const inset = shape === "pit" || shape === "store" ? 0.05 : 0;
    const box = { x: x - width / 2 + inset, y: y - height / 2 + inset, width: width - 2 * inset, height: height - 2 * inset };
    if (shape === "hexagon") {
      const r = 1 / Math.sqrt(3);
      const corners = [0, 1, 2, 3, 4, 5].map((corner) => {
        const angle = ((2 * corner + 1) * Math.PI) / 6;
        return `${x + r * Math.cos(angle)},${y + r * Math.sin(angle)}`;
      });
      return [drawn("polygon", { points: corners.join(" "), ...drawnWith })];
    }
    if (shape === "dot" || shape === "box") return [];
    if (shape === "edge") {
      const ends = width > height ? { x1: x - width / 2, x2: x + width / 2, y1: y, y2: y } : { x1: x, x2: x, y1: y - height / 2, y2: y + height / 2 };
      return [drawn("line", { ...ends, stroke: legible(fill), "stroke-width": 0.06, opacity: 0.35 })];
    }
    const isRound = inset > 0;
    const found = [drawn("rect", isRound ? { ...box, rx: Math.min(box.width, box.height) / 2, ...drawnWith } : { ...box, fill })];
    // A board without coordinates has short names in its cells.
    if (!this.description.labels.length && name?.length <= 2 && (shape === "pit" || shape === "dark")) {
      const [at, anchor] = isRound ? [{ x, y: y + 0.27 }, "middle"] : [{ x: x - 0.47, y: y - 0.38 }, "start"];
      const text = drawn("text", { ...at, "font-size": isRound ? 0.22 : 0.18, fill: legible(fill), opacity: 0.75, "text-anchor": anchor, "dominant-baseline": "central" });
      text.textContent = name;
      found.push(text);
    }
    return found;
  }

  // The dots between edges, over the ends of those that are drawn.
  dots() {
    const fill = legible(this.look.hole);
    const dots = this.description.cells.filter(({ shape }) => shape === "dot");
    return drawn("g", {}, ...dots.map(({ x, y }) => drawn("circle", { cx: x, cy: y, r: 0.1, fill })));
  }

  borders() {
    return this.description.borders.map(({ side, points }) => drawn("polyline", {
      points: points.map((point) => point.join(",")).join(" "), fill: "none", stroke: this.look.pieces[side].fill,
      "stroke-width": 0.14, "stroke-linecap": "round", "stroke-linejoin": "round",
    }));
  }

  labels() {
    const { labels, box: [left, top] } = this.description;
    const last = this.position.marks.last.map((at) => this.description.cells[at]);
    const ink = this.hasShapes ? legible(this.around()) : this.look.ink;
    const found = labels.flatMap((label) => {
      const isLit = last.some((cell) => ("row" in label ? cell.row === label.row : cell.column === label.column));
      const isRow = "row" in label;
      let [x, y] = isRow ? [label.x - this.margin.side / 2, label.y] : [label.x, label.y - this.margin.top / 2];
      if (this.isTight) [x, y] = isRow ? [left + 0.12, label.y - 0.33] : [label.x + 0.36, top + 0.15];
      const size = this.isTight ? 0.22 : this.margin.top * 0.62;
      const text = drawn("text", {
        x, y, "font-size": size, fill: isLit && !this.isTight ? this.look.frame : ink, "text-anchor": "middle",
        "dominant-baseline": "central", "font-weight": 650, class: "label",
      });
      text.textContent = label.text;
      if (!isLit || this.isTight) return [text];
      const [w, h] = [this.margin.top * 0.9, this.margin.top * 0.8];
      return [drawn("rect", { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 0.1, fill: ink }), text];
    });
    return drawn("g", {}, ...found);
  }

  piece({ at, side, kind, label, count }) {
    const cell = this.description.cells[at];
    const { x, y } = cell;
    const style = this.look.pieces[side] ?? { shape: "disc", fill: this.look.line, rim: this.look.frame, accent: this.look.ink };
    const { fill, rim } = style;
    const inner = drawn("g", cell.shape === "box" ? { transform: `translate(${x / 2} ${y / 2}) scale(.5)` } : {});
    const group = drawn("g", { class: "piece" });
    let shape = style.shape;
    if (cell.shape === "edge") shape = cell.shape;
    if (count !== undefined) shape = "count";
    const [wide, high] = [cell.width ?? 1, cell.height ?? 1];
    if (cell.shape === "box" && kind === "claim") {
      group.append(drawn("rect", { x: x - wide / 2 + 0.1, y: y - high / 2 + 0.1, width: wide - 0.2, height: high - 0.2, rx: 0.08, fill, opacity: 0.55 }));
    }
    if (shape === "edge") {
      inner.append(drawn("rect", { ...this.bar(cell, 0.16), rx: 0.07, fill }));
    } else if (shape === "count") {
      if (side !== undefined) {
        inner.append(drawn("rect", { x: x - wide / 2 + 0.08, y: y - high / 2 + 0.08, width: wide - 0.16, height: high - 0.16, rx: Math.min(wide, high) / 2 - 0.08, fill: "none", stroke: fill, "stroke-width": 0.06 }));
      }
    } else if (shape === "diamond") {
      inner.append(drawn("path", { d: `M${x} ${y - 0.4}l.4 .4l-.4 .4l-.4 -.4z`, fill, stroke: rim, "stroke-width": 0.05, "stroke-linejoin": "round" }));
    } else if (shape === "cross") {
      inner.append(drawn("path", { d: `M${x - 0.26} ${y - 0.26}l.52 .52m0 -.52l-.52 .52`, stroke: fill, "stroke-width": 0.15, "stroke-linecap": "round", fill: "none" }));
    } else if (shape === "ring") {
      inner.append(drawn("circle", { cx: x, cy: y, r: 0.27, stroke: fill, "stroke-width": 0.14, fill: "none" }));
    } else if (shape === "disc") {
      const isHole = this.description.ground === "holes";
      inner.append(drawn("circle", { cx: x, cy: y, r: isHole ? 0.41 : 0.41, fill, stroke: rim, "stroke-width": 0.045 }));
      if (isHole) inner.append(drawn("circle", { cx: x, cy: y, r: 0.26, fill: "none", stroke: rim, "stroke-width": 0.045, opacity: 0.75 }));
    }
    const written = this.look.letters && side !== undefined && shape !== "cross" && shape !== "ring"
      ? this.description.sides[side].letter : label;
    const text = count === undefined ? written : String(count);
    // A name below a count, and a crown above a letter.
    const shift = cell.shape === "pit" && !this.description.labels.length ? -0.07 : kind === "king" ? 0.12 : 0;
    if (text !== undefined) {
      const letter = drawn("text", {
        x, y: y + shift, "font-size": kind === "king" ? 0.34 : 0.42, "font-weight": 700,
        "text-anchor": "middle", "dominant-baseline": "central",
        fill: legible(count === undefined ? fill : this.under(cell.shape)),
      });
      letter.textContent = text;
      inner.append(letter);
    }
    if (kind === "king") {
      inner.append(drawn("path", {
        d: `M${x - 0.2} ${y + (text === undefined ? 0.15 : -0.06)}l-.03 -.26l.13 .13l.1 -.2l.1 .2l.13 -.13l-.03 .26z`, fill: legible(fill) === "#fff" ? "#f6c83c" : "#111",
        stroke: legible(fill), "stroke-width": 0.03, "stroke-linejoin": "round",
      }));
    }
    group.append(inner);
    return group;
  }

  // The rectangle of a drawn edge.
  bar({ x, y, width = 1, height = 1 }, thick) {
    const [wide, high] = width > height ? [width, thick] : [thick, height];
    return { x: x - wide / 2, y: y - high / 2, width: wide, height: high };
  }

  marks() {
    const { last, from = [], line, turned, legal } = this.position.marks;
    const found = [];
    const ring = (at, r, stroke, width, more = {}) => {
      const { x, y } = this.description.cells[at];
      found.push(drawn("circle", { cx: x, cy: y, r, fill: "none", stroke, "stroke-width": width, ...more }));
    };
    const isHoles = this.description.ground === "holes";
    if (!line.length) {
      for (const at of turned) ring(at, 0.32, this.look.pieces[this.pieces.get(at)?.side ?? 0].accent, 0.03, { opacity: 0.55 });
      for (const at of [...last, ...from]) {
        const { x, y } = this.description.cells[at];
        const piece = this.pieces.get(at);
        const { shape } = this.description.cells[at];
        if (shape === "edge" || shape === "pit" || shape === "store") {
          const cell = this.description.cells[at];
          const box = shape === "edge" ? this.bar(cell, 0.26) : { x: x - 0.5, y: y - (cell.height ?? 1) / 2, width: 1, height: cell.height ?? 1 };
          found.push(drawn("rect", { ...box, rx: Math.min(box.width, box.height) / 2, fill: "none", stroke: "#fff", "stroke-width": 0.05 }));
        } else if (this.description.ground === "paper") {
          found.push(drawn("rect", { x: x - 0.44, y: y - 0.44, width: 0.88, height: 0.88, rx: 0.1, fill: "none", stroke: "#fff", "stroke-width": 0.04 }));
        } else if (isHoles || !piece) ring(at, 0.43, "#ffffff", 0.06);
        else if (piece.kind === "king") ring(at, 0.3, this.look.pieces[piece.side ?? 0].accent, 0.05);
        else {
          const under = this.look.letters ? { cy: y + 0.27, r: 0.08 } : { cy: y, r: 0.12 }; // a letter stays legible
          found.push(drawn("circle", { cx: x, ...under, fill: this.look.pieces[piece.side ?? 0].accent }));
        }
      }
    }
    for (const at of line) {
      ring(at, 0.43, "#000000", 0.12, { opacity: 0.45 });
      ring(at, 0.43, "#ffffff", 0.065);
    }
    const next = this.pressed.length ? this.reached(this.pressed).map((one) => one.press[this.pressed.length]) : legal;
    for (const at of next) {
      const cell = this.description.cells[at];
      const r = this.pressed.length ? 0.17 : 0.11;
      if (cell) found.push(drawn("circle", { cx: cell.x, cy: cell.y, r, fill: "#000", opacity: 0.4 }));
    }
    // Pieces that can move, until one is picked.
    const movable = this.pressed.length ? [] : new Set((this.position.moves ?? []).filter((one) => one.press?.length > 1).map((one) => one.press[0]));
    for (const at of movable) {
      const { x, y } = this.description.cells[at];
      const piece = this.pieces.get(at);
      const isFull = this.look.letters || piece?.kind === "king";
      const fill = legible(this.look.pieces[piece?.side ?? 0].fill);
      found.push(drawn("circle", { cx: x, cy: isFull ? y + 0.32 : y, r: isFull ? 0.05 : 0.1, fill, opacity: 0.5 }));
    }
    for (const [at] of this.pressed) {
      ring(at, 0.42, "#000000", 0.15, { opacity: 0.6 });
      ring(at, 0.42, "#ffffff", 0.08);
    }
    if (this.held) found.push(...this.heldMarks());
    for (const at of this.hint) {
      ring(at, 0.4, "#000000", 0.13, { opacity: 0.5 });
      ring(at, 0.4, "#ffffff", 0.07, { "stroke-dasharray": "0.19 0.12" });
    }
    return drawn("g", {}, ...found);
  }

  // A pause sign at the reader's move, "!" where the other side's win begins, and the better move's disc.
  heldMarks() {
    const { threat, seat } = this.held;
    const { fill } = this.look.pieces[1 - seat];
    const at = (cell, make) => make(this.description.cells[cell]);
    return [
      ...threat.filter((cell) => !this.hint.includes(cell)).map((cell) => at(cell, ({ x, y }) => drawn("g", { class: "threat" },
        drawn("circle", { cx: x, cy: y, r: 0.4, fill: "#000", opacity: 0.45 }),
        drawn("circle", { cx: x, cy: y, r: 0.39, fill: "none", stroke: fill, "stroke-width": 0.075, "stroke-dasharray": "0.16 0.11" }),
        drawn("path", { d: `M${x} ${y - 0.2}V${y + 0.06}M${x} ${y + 0.19}v.01`, stroke: "#fff", "stroke-width": 0.09, "stroke-linecap": "round" })))),
      ...this.hint.filter((cell) => !this.pieces.has(cell)).map((cell) => {
        const ghost = this.piece({ at: cell, side: seat });
        ghost.setAttribute("opacity", 0.7);
        return ghost;
      }),
      ...this.position.marks.last.map((cell) => at(cell, ({ x, y }) => drawn("g", { class: "pause" },
        drawn("circle", { cx: x + 0.3, cy: y - 0.3, r: 0.17, fill: "#fff", stroke: "#000", "stroke-width": 0.03 }),
        drawn("path", { d: `M${x + 0.25} ${y - 0.37}v.14M${x + 0.35} ${y - 0.37}v.14`, stroke: "#000", "stroke-width": 0.05 })))),
    ];
  }

  drawGhost() {
    if (!this.ghosts) return;
    const at = this.aimed ?? this.hovered;
    const found = [];
    const move = at === null || at === undefined ? null : this.wouldPlay(at);
    if (move) {
      const lands = move.lands ?? move.move;
      if (this.description.cells[lands] && !this.pieces.has(lands)) {
        const ghost = this.piece({ at: lands, side: this.position.puts ?? this.position.toMove });
        ghost.setAttribute("opacity", 0.5);
        found.push(ghost);
      }
    }
    if (this.aimed !== null && this.aimed !== undefined) {
      const { x, y } = this.description.cells[this.aimed];
      const [left, top, width, height] = this.description.box;
      const cross = `M${left} ${y}H${x - 0.5}M${x + 0.5} ${y}H${left + width}M${x} ${top}V${y - 0.5}M${x} ${y + 0.5}V${top + height}`;
      found.push(drawn("path", { d: cross, stroke: "#000", "stroke-width": 0.2, opacity: 0.25 }));
      found.push(drawn("path", { d: cross, stroke: "#fff", "stroke-width": 0.07 }));
      found.push(drawn("circle", { cx: x, cy: y, r: 0.5, fill: "none", stroke: "#fff", "stroke-width": 0.08 }));
    }
    this.ghosts.replaceChildren(...found);
    this.grid.classList.toggle("playable", Boolean(move));
  }

  animate(before) {
    const old = new Map(before.pieces.map((piece) => [piece.at, piece]));
    if (Math.abs(old.size - this.pieces.size) > 2) return; // a jump, not a move
    const isDrop = this.description.entrance === "drop";
    for (const [at, shape] of this.shapes) {
      const was = old.get(at);
      const piece = this.pieces.get(at);
      if (!was) {
        const { row } = this.description.cells[at];
        shape.animate(
          isDrop
            ? [{ transform: `translateY(${-(row + 1)}px)`, easing: "cubic-bezier(.5,0,.9,.6)" }, { transform: "none" }]
            : [{ transform: "scale(.5)", opacity: 0.2 }, { transform: "none", opacity: 1 }],
          { duration: isDrop ? 80 + 24 * Math.min(row, 6) : 120, easing: "ease-out" },
        );
      } else if (was.side !== piece.side) {
        const other = this.piece(was);
        this.layer.append(other);
        other.animate([{ transform: "none" }, { transform: "scaleX(0)" }], { duration: 110, fill: "forwards" });
        shape.animate([{ transform: "scaleX(0)" }, { transform: "none" }], { duration: 110, delay: 110, fill: "backwards" })
          .finished.catch(() => {}).finally(() => other.remove());
      }
    }
  }

  // Reading

  nameOf(at) {
    const cell = this.description.cells[at];
    if (cell.name || !cell.zone) return cell.name ?? "";
    return say("page_cell_in_column", { row: this.description.size[1] - cell.row, column: cell.zone });
  }

  describe() {
    if (!this.position) return;
    const { last, line } = this.position.marks;
    this.cells.forEach((element, at) => {
      const piece = this.pieces.get(at);
      const said = [this.nameOf(at)].filter(Boolean);
      if (!piece) said.push(say("page_cell_empty"));
      else said.push([piece.label, piece.count, piece.kind === "king" ? say("page_cell_king") : undefined, this.names[piece.side]].filter((one) => one !== undefined).join(" "));
      if (last.includes(at)) said.push(say("page_cell_last"));
      if (line.includes(at)) said.push(say("page_cell_line"));
      if (this.held?.threat.includes(at)) said.push(say("page_cell_threat"));
      if (this.hint.includes(at)) said.push(say("page_cell_hint"));
      const move = this.wouldPlay(at);
      if (move !== null) said.push(say(move ? "page_cell_play" : "page_cell_pick"));
      element.setAttribute("aria-label", said.join(", "));
    });
  }
}

// The description with the board turned by half. Rules name edges, so no board is turned by less.
function halfTurned(description) {
  const { box: [left, top, width, height] } = description;
  const placed = ([x, y]) => [2 * left + width - x, 2 * top + height - y];
  return {
    ...description,
    cells: description.cells.map((cell) => { const [x, y] = placed([cell.x, cell.y]); return { ...cell, x, y }; }),
    borders: description.borders.map((border) => ({ ...border, points: border.points.map(placed) })),
  };
}

function isSeenOnly({ shape }) {
  return shape === "light" || shape === "dot";
}

function mixed(colour, other, share) {
  const parts = [1, 3, 5].map((start) => [colour, other].map((one) => Number.parseInt(one.slice(start, start + 2), 16)));
  return `#${parts.map(([one, two]) => Math.round(one + (two - one) * share).toString(16).padStart(2, "0")).join("")}`;
}

export function legible(colour) {
  const [red, green, blue] = [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
  return red * 0.3 + green * 0.59 + blue * 0.11 > 140 ? "#111" : "#fff";
}

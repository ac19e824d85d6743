// A finished match, move by move: the list of moves, the evaluation as a scrubber, the key moments.

import { legible } from "./board.js";
import { attributed, drawn, isInRoom, made, refused, say } from "./data.js";

const SIGNS = { mistake: "?", blunder: "??", best: "★" };
const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z", back: "M16 5l-9 7 9 7z", play: "M7 4l12 8-12 8z", pause: "M8 5v14M16 5v14",
  forward: "M8 5l9 7-9 7z", end: "M18 5v14M5 5l9 7-9 7z",
};
const STEP = 700;
const SLOW_STEP = 2000;

// match: the document; on.ply(position): asked to show it. on.share(): asked for an address for everybody.
export class Replay {
  constructor(match, positions, pieces, on) {
    this.match = match;
    this.positions = positions;
    this.review = null;
    this.pieces = pieces;
    this.on = on;
    this.ply = positions.length - 1;
    this.timer = 0;
    this.element = attributed(made("section", { className: "replay" }), { "aria-label": say("page_replay") });
    this.build();
    this.hear();
    this.mark();
  }

  build() {
    const last = this.positions.length - 1;
    this.says = made("p", { className: "says" });
    this.plot = made("div", { className: "plot-place" });
    this.slider = attributed(made("input", { type: "range", min: 0, max: last, value: last }), { "aria-label": say("page_ply") });
    this.slider.oninput = () => this.go(Number(this.slider.value));
    const button = (key, sign, step) => {
      const found = made("button", { type: "button", onclick: step }, icon(sign));
      return attributed(found, { "aria-label": say(key), title: say(key) });
    };
    this.player = button("page_watch", ICONS.play, () => this.toggle());
    const controls = made(
      "div", { className: "controls" },
      button("page_first", ICONS.first, () => this.go(0)), button("page_back", ICONS.back, () => this.go(this.ply - 1)), this.player,
      button("page_forward", ICONS.forward, () => this.go(this.ply + 1)), button("page_end", ICONS.end, () => this.go(last)),
    );
    this.signs = this.match.moves.map(() => attributed(made("span", { hidden: true }), { role: "img", "aria-label": say("page_best") }));
    this.list = attributed(made("ol", { className: "moves" }), { "aria-label": say("page_moves") });
    this.list.append(...this.match.moves.map((move, index) => made("li", {}, made(
      "button", { type: "button", onclick: () => this.go(move.n) },
      made("span", { className: "number", textContent: move.n }), ...(move.disc === null ? [] : [chip(this.pieces[move.disc])]), made("b", { textContent: move.name }), this.signs[index],
    ))));
    this.moments = made("ul", { className: "moments" });
    this.momentsTitle = made("h3", { textContent: say("page_moments"), hidden: true });
    this.share = made("button", { type: "button", hidden: !this.match.viewer.may.includes("share"), textContent: say("page_share"), onclick: () => this.on.share() });
    this.shared = attributed(made("p", { className: "note" }), { role: "status" });
    this.train = made("a", { className: "button", hidden: true, textContent: say("page_train") });
    // Discord's frame downloads nothing.
    this.file = made("a", { className: "button", hidden: isInRoom(), href: `/api/matches/${this.match.match}/file`, download: "", textContent: say("page_download") });
    this.lines = made("div", { className: "lines" });
    this.element.replaceChildren(this.says, this.plot, this.slider, controls, this.momentsTitle, this.moments, made("div", { className: "row" }, this.train, this.share, this.file), this.shared, this.list, this.lines);
  }

  // Show what the review says so far; without one, the reason.
  // message: with the review, or with the text of its refusal.
  judge(message) {
    const { review } = message;
    this.review = review;
    const focused = [...this.moments.querySelectorAll("button")].indexOf(document.activeElement);
    this.signs.forEach((element, index) => {
      const mark = review?.verdicts[index]?.mark;
      element.hidden = !SIGNS[mark];
      if (!SIGNS[mark]) return;
      element.className = `sign ${mark}`;
      element.textContent = SIGNS[mark];
      element.setAttribute("aria-label", say(`page_${mark}`));
    });
    this.moments.replaceChildren(...(review?.moments ?? []).map(({ ply, text: said, why }) => {
      const parts = [made("b", { textContent: said }), made("span", { textContent: `${this.better(ply)} ${why}`.trim() })];
      return made("li", {}, made("button", { type: "button", onclick: () => this.go(ply) }, ...parts.filter((part) => part.textContent)));
    }));
    this.momentsTitle.hidden = !review?.moments.length;
    this.train.hidden = !review?.train || isInRoom(); // Discord's frame has no page of puzzles
    this.train.href = review?.train ?? "";
    this.moments.querySelectorAll("button")[focused]?.focus();
    this.lines.replaceChildren(...(review?.lines.map((line) => [line]) ?? [refused(message)]).map((line) => made("p", {}, ...line)));
    this.drawPlot();
    this.mark();
  }

  // Say who may open the address, and copy it where the browser lets a page do that.
  async tellShared({ text, address }) {
    this.share.hidden = true;
    this.shared.textContent = text;
    await navigator.clipboard?.writeText(address).then(() => { this.shared.textContent = `${text} · ${say("page_copied")}`; }, () => {});
  }

  better(ply) {
    const verdict = this.review?.verdicts[ply - 1];
    // A match can be lost by a lesser mistake, too.
    const isLesser = verdict?.mark === "good" && this.review.moments.some((moment) => moment.ply === ply);
    return isLesser || ["mistake", "blunder"].includes(verdict?.mark) ? say("page_better", { move: verdict.better }) : "";
  }

  // One bar a position, up for the first side and down for the second.
  drawPlot() {
    const ahead = this.review?.ahead ?? [];
    if (ahead.every((value) => value === null)) return this.plot.replaceChildren();
    const svg = attributed(drawn("svg", { class: "plot", viewBox: `0 -1 ${ahead.length} 2`, preserveAspectRatio: "none" }), { role: "img", "aria-label": this.review.described });
    ahead.forEach((value, ply) => {
      if (!value) return;
      svg.append(drawn("rect", { x: ply, y: value > 0 ? -value : 0, width: 1.02, height: Math.abs(value), fill: this.pieces[value > 0 ? 0 : 1].fill }));
    });
    for (const { ply } of this.review.moments) svg.append(drawn("path", { d: `M${ply + 0.5} -1V1`, class: "moment" }));
    svg.append(drawn("path", { d: `M0 0H${ahead.length}`, class: "zero" }));
    this.cursor = svg.appendChild(drawn("rect", { y: -1, width: 1, height: 2, class: "cursor" }));
    const scrub = (event) => {
      const { left, width } = svg.getBoundingClientRect();
      this.go(Math.floor(((event.clientX - left) / width) * ahead.length));
    };
    svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); scrub(event); });
    svg.addEventListener("pointermove", (event) => event.buttons && scrub(event));
    return this.plot.replaceChildren(svg);
  }

  hear() {
    const steps = { ArrowLeft: () => this.ply - 1, ArrowRight: () => this.ply + 1, Home: () => 0, End: () => Infinity };
    this.onkey = (event) => {
      if (event.target.closest?.("input, select, .grid") || event.altKey || event.ctrlKey || event.metaKey) return;
      if (!(event.key in steps)) return;
      event.preventDefault();
      this.go(steps[event.key]());
    };
    document.addEventListener("keydown", this.onkey);
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.ply === this.positions.length - 1) this.go(0);
    const step = matchMedia("(prefers-reduced-motion: reduce)").matches ? SLOW_STEP : STEP;
    this.timer = setInterval(() => (this.ply < this.positions.length - 1 ? this.show(this.ply + 1) : this.stop()), step);
    this.player.replaceChildren(icon(ICONS.pause));
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.player.replaceChildren(icon(ICONS.play));
  }

  go(ply) {
    this.stop();
    this.show(ply);
  }

  show(ply) {
    this.ply = Math.max(0, Math.min(ply, this.positions.length - 1));
    this.mark();
    this.on.ply(this.positions[this.ply], this.ply);
  }

  mark() {
    this.slider.value = this.ply;
    this.cursor?.setAttribute("x", this.ply);
    const move = this.match.moves[this.ply - 1];
    const mark = this.review?.verdicts[this.ply - 1]?.mark;
    const why = this.review?.moments.find(({ ply }) => ply === this.ply)?.why ?? "";
    const text = move
      ? [`${move.n}. ${this.match.seats[move.seat].name}: ${move.label ?? move.name}`, SIGNS[mark] && say(`page_${mark}`), `${this.better(this.ply)} ${why}`.trim()]
      : [say("page_beginning")];
    this.says.textContent = text.filter(Boolean).join(" · ");
    this.slider.setAttribute("aria-valuetext", this.says.textContent);
    [...this.list.children].forEach((item, index) => {
      const button = item.firstChild;
      if (index + 1 === this.ply) {
        button.setAttribute("aria-current", "step");
        this.list.scrollTop = item.offsetTop - this.list.clientHeight / 2;
        this.list.scrollLeft = item.offsetLeft - this.list.clientWidth / 2;
      } else button.removeAttribute("aria-current");
    });
  }
}

// A side's piece as in the look: colours alone would not tell all people whose it is.
export function chip({ fill, shape, letter }) {
  const svg = drawn("svg", { class: "chip", viewBox: "-1 -1 2 2", "aria-hidden": "true" });
  const edge = { fill, stroke: "currentcolor", "stroke-opacity": 0.4, "stroke-width": 0.15 };
  if (shape === "cross") svg.append(drawn("path", { d: "M-.6-.6L.6.6M.6-.6L-.6.6", stroke: fill, "stroke-width": 0.4, "stroke-linecap": "round" }));
  else if (shape === "ring") svg.append(drawn("circle", { r: 0.65, fill: "none", stroke: fill, "stroke-width": 0.35 }));
  else if (shape === "diamond") svg.append(drawn("path", { d: "M0-.9L.9 0L0 .9L-.9 0z", ...edge }));
  else svg.append(drawn("circle", { r: 0.85, ...edge }));
  if (letter && shape !== "cross" && shape !== "ring") {
    const text = drawn("text", { "font-size": 1.1, "font-weight": 700, "text-anchor": "middle", "dominant-baseline": "central", fill: legible(fill) });
    text.textContent = letter;
    svg.append(text);
  }
  return svg;
}

function icon(d) {
  return drawn("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, drawn("path", { d }));
}

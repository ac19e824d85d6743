// A puzzle: its board, the answer to each move, and the way to the next one.

import { apart } from "./apart.js";
import { Board } from "./board.js";
import { ask, attributed, found, made, refused, say } from "./data.js";
import { chosenLook, lookChooser, piecesOf } from "./looks.js";
import { chip } from "./replay.js";

const STEP_MS = 700; // between the positions of an answer
const still = matchMedia("(prefers-reduced-motion: reduce)");

const { labels, ...choices } = found("choices");
const page = document.getElementById("page");
let puzzle = found("first");
let description = found("description");
let look = chosenLook();
let isBusy = false;
let shown = 0; // how many puzzles and answers were shown: an older one's positions do not come in between
let leaving = null;
let board = null;

const fields = [["game", choices.games], ["theme", choices.themes], ["grade", choices.grades]].map(([name, list = []]) =>
  [name, made("select", {}, ...[["", labels.any], ...list].map(([value, textContent]) => made("option", { value, textContent })))]);
const wished = () => Object.fromEntries(fields.map(([name, select]) => [name, select.value]));
const title = made("h1");
const terms = made("p", { className: "terms" });
const chooser = lookChooser((chosen) => {
  look = chosen;
  board.dress(look);
  draw();
});
const lines = attributed(made("div", { className: "puzzle" }), { role: "status" });
const refusal = attributed(made("p", { className: "refusal" }), { role: "alert" });
const aim = made("div", { className: "aim" });
const actions = made("div", { className: "actions" });
const note = made("p", { className: "note" });
const mistakes = made("div", { className: "row" }, button(labels.own, () => press("/api/mistakes", {})));
const panel = made("aside", { className: "panel" }, lines, refusal, aim, actions, note, more());
const table = made("div", { className: "table" });
page.replaceChildren(made("header", { className: "top" }, made("div", {}, title, terms), chooser), table);

// A board of the description, with the person's side below.
function lay() {
  leaving?.abort();
  leaving = new AbortController();
  const names = [0, 1].map((side) => say(side === puzzle.seat ? "page_puzzle_yours" : "page_puzzle_theirs"));
  board = new Board(description, names, puzzle.seat, { play: answer, aim: drawAim }, leaving.signal);
  board.dress(look);
  table.replaceChildren(board.element, panel);
}

function draw() {
  title.textContent = puzzle.title;
  terms.textContent = puzzle.terms;
  document.title = `${puzzle.title} · Discade`;
  lines.replaceChildren(...puzzle.lines.map((line) => made("p", {}, ...pieced(line))));
  lines.className = `puzzle ${puzzle.status}`;
  refusal.replaceChildren(...refused(puzzle));
  note.textContent = puzzle.note;
  mistakes.hidden = !choices.own || Boolean(puzzle.where);
  const steps = puzzle.steps.map((step) => button(labels[step], () => press(where(), { step })));
  const isOver = puzzle.status !== "open";
  if (isOver && choices.games) steps.unshift(button(puzzle.where ? labels.position : labels.next, next, "main"));
  if (puzzle.share && navigator.clipboard) steps.push(button(labels.copy, copyResult));
  actions.replaceChildren(
    ...(isOver ? [] : apart(puzzle.position, button, answer)),
    steps.length ? made("div", { className: "row" }, ...steps) : "",
    choices.games ? "" : invitation(),
  );
}

// The line that people show others, as Discord's button posts it.
async function copyResult() {
  await navigator.clipboard.writeText(puzzle.share).then(() => { note.textContent = say("page_copied"); }, () => {});
}

// Where a reader who may not answer can: the page's way to Discord, where its host has named one.
function invitation() {
  const way = document.querySelector(".bar .main");
  return way ? made("a", { className: "button main", href: way.getAttribute("href"), textContent: way.textContent }) : "";
}

// A line with the pieces that it names, as the board shows them.
function pieced(line) {
  const pieces = piecesOf(description, look);
  return line.split(/⟦([01])⟧/).map((part, at) => (at % 2
    ? attributed(made("span", {}, chip(pieces[part])), { role: "img", "aria-label": puzzle.pieces[part] })
    : part));
}

function button(text, act, className = "") {
  return made("button", { type: "button", className, textContent: text, onclick: act, disabled: isBusy });
}

function drawAim(move, name) {
  if (!move) return aim.replaceChildren();
  const place = button(say("page_place_at", { cell: name }), () => { board.clear(); answer(move.move); }, "main");
  return aim.replaceChildren(place, button(say("page_cancel"), () => board.clear()));
}

// Show what the server says, position after position where an answer was given.
async function show(document) {
  const mine = (shown += 1);
  const isOther = document.game.description !== puzzle.game.description || document.seat !== puzzle.seat;
  if (document.game.description !== puzzle.game.description) {
    const other = await ask(document.game.description);
    if (!other.ok) return refusal.replaceChildren(...refused(other));
    description = other;
  }
  puzzle = document;
  if (isOther) lay();
  draw();
  board.element.scrollIntoView({ block: "nearest" }); // the choices for the next puzzle stand below
  for (const position of still.matches ? [] : puzzle.frames) {
    board.show(position);
    await new Promise((done) => { setTimeout(done, STEP_MS); });
    if (mine !== shown) return undefined;
  }
  return board.show(puzzle.position);
}

async function press(path, body) {
  if (isBusy) return;
  isBusy = true;
  board.lock(true);
  refusal.textContent = "";
  const before = [...lines.children];
  if ("move" in body) lines.replaceChildren(made("p", { className: "note", textContent: say("page_puzzle_checking") }));
  panel.querySelectorAll("button").forEach((one) => { one.disabled = true; });
  const document = await ask(path, "POST", body);
  isBusy = false;
  board.lock(false);
  panel.querySelectorAll("button").forEach((one) => { one.disabled = false; });
  if (document.ok) return show(document);
  lines.replaceChildren(...before);
  refusal.replaceChildren(...refused(document));
  return board.show(puzzle.position);
}

function answer(move) {
  if (puzzle.attempt === null) return press("/api/puzzles", { ...puzzle.by, move });
  return press(where(), { turn: puzzle.turn, move });
}

// Where the puzzle is answered; a position of one's own games says so itself.
function where() {
  return puzzle.where ?? `/api/puzzles/${puzzle.attempt}`;
}

// The next puzzle of the kind that is chosen below, or the next of one's own mistakes.
function next() {
  if (puzzle.where) return press("/api/mistakes", {});
  return press("/api/puzzles", wished());
}

// What one may choose for the next puzzle.
function more() {
  if (!choices.games) return "";
  const rows = fields.map(([name, select]) => made("label", {}, made("span", { textContent: labels[name] }), select));
  const start = button(labels.next, () => press("/api/puzzles", wished()));
  return made("div", { className: "opponents" }, mistakes, made("details", {}, made("summary", { textContent: labels.more }), made("div", { className: "choices" }, ...rows), made("div", { className: "row" }, start)));
}

lay();
draw();
board.show(puzzle.position);

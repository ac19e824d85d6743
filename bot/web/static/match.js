// The page of one match.

import { connect } from "./live.js";
import { found, made, say } from "./data.js";

const board = found("board");
const page = document.getElementById("page");
let match = found("first");

function draw(note = "") {
  const [columns] = board.size;
  const grid = made("div", { className: "board" });
  grid.style.gridTemplateColumns = `repeat(${columns}, 1fr)`;
  const pieces = new Map(match.position.pieces.map((piece) => [piece.at, piece.side]));
  board.cells.forEach((cell, at) => {
    const element = made("div", { className: "cell" });
    if (pieces.has(at)) element.style.background = board.palettes.classic.pieces[pieces.get(at)].fill;
    grid.append(element);
  });
  const moves = (match.position.moves || []).map((one) => made("button", {
    textContent: one.name ?? board.cells[one.move]?.name ?? one.move,
    onclick: () => send({ type: "play", turn: match.turn, move: one.move }),
  }));
  page.replaceChildren(made("h1", { textContent: match.title }), made("p", { role: "status", textContent: match.status.text }),
    grid, made("p", {}, ...moves), made("p", { role: "alert", textContent: note }));
}

const send = connect(match, {
  open: () => draw(),
  document: (document) => { match = document; draw(); },
  message: (message) => { if (message.type === "moved") location.assign(message.to); else if (message.text) draw(message.text); },
  lost: () => draw(say("page_lost")),
});
draw();

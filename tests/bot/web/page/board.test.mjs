import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, copy, load, made, openWindow, resize, settled } from "./browser.mjs";

const TEXTS = made.texts;
const NAMES = ["Ada", "Ben"];
const NARROW = "(max-width: 599px)";
const STILL = "(prefers-reduced-motion: reduce)";

// A board as that reader has it, 0 for Ada and 1 for Ben. features: what media queries find. change(position): before
// it is shown.
async function opened(name, reader, features = [], change = () => {}) {
  openWindow(TEXTS, features);
  const { Board } = await load("board.js");
  const asked = []; // of the page: moves to play, and cells to confirm
  const leaving = new AbortController();
  const on = { play: (move) => asked.push(["play", move]), aim: (move, cell) => asked.push(["aim", move?.move ?? null, cell]) };
  const board = new Board(copy(made[name].board), NAMES, reader, on, leaving.signal);
  document.body.append(board.element);
  const position = copy(made[name].readers[reader].position);
  change(position);
  board.show(position);
  const cells = document.querySelectorAll(".cell").sort((one, other) => one.dataset.at - other.dataset.at);
  const all = (selector) => board.svg.querySelectorAll(selector);
  return {
    board, asked, position, cells, all,
    leave: () => leaving.abort(),
    // Percent from the left and from the top.
    place: (at) => [cells[at].style.left, cells[at].style.top].map(Number.parseFloat),
    said: (at) => cells[at].getAttribute("aria-label"),
    focused: () => document.activeElement.dataset.at,
    key: (at, key, held = {}) => { cells[at].focus(); return cells[at].send("keydown", { key, ...held }); },
    tap: (at, pointerType = "touch") => { cells[at].send("pointerdown", { pointerType }); cells[at].click(); },
    // A press by a screen reader or a key, which comes without a pointer.
    press: (at) => cells[at].click({ detail: 0 }),
    circles: (wanted) => all("circle").filter((one) => Object.entries(wanted).every(([name, value]) => one.getAttribute(name) === String(value))),
    ghosts: () => all("g").filter((one) => one.getAttribute("opacity") === "0.5" && one.classList.contains("piece")),
  };
}

const centre = (circle) => [circle.getAttribute("cx"), circle.getAttribute("cy")].map(Number);

// Where things lie

test("both players have their own pieces below, and the board is turned by half for one of them", async () => {
  const ben = await opened("draughts", 1);
  const ada = await opened("draughts", 0);
  const corner = (one, at) => one.place(at).map((percent) => percent > 50);
  assert.deepEqual(corner(ben, 1), [false, false]);
  assert.deepEqual(corner(ada, 1), [true, true]);
  assert.deepEqual(corner(ada, 62), [false, false]);
});

test("a board that is not turned for one player is turned for none", async () => {
  for (const reader of [0, 1]) assert.deepEqual((await opened("tic-tac-toe", reader)).place(0).map((one) => one < 10), [true, true]);
});

test("the number above a column is pressed as the column", async () => {
  const { cells } = await opened("clocks", 1);
  assert.ok(Number.parseFloat(cells[0].style.height) > 1.4 * Number.parseFloat(cells[7].style.height));
  assert.equal(cells[0].style.top, "0%");
});

test("a narrow screen has the coordinates in the cells, and a board that was left stays as it is", async () => {
  const { board, leave } = await opened("othello", 1);
  const wide = board.svg.getAttribute("viewBox");
  resize(NARROW);
  const tight = board.svg.getAttribute("viewBox");
  assert.deepEqual(tight.split(" ").map(Number), [0, 0, 8, 8]);
  assert.notEqual(tight, wide);
  leave();
  resize();
  assert.equal(board.svg.getAttribute("viewBox"), tight);
});

test("an edge lies over the boxes beside it", async () => {
  const { cells, board } = await opened("dots", 0);
  const kinds = board.description.cells.map((cell) => cell.shape);
  assert.equal(cells[kinds.indexOf("edge")].style.zIndex, 1);
  assert.equal(cells[kinds.indexOf("box")].style.zIndex, "");
});

// Pressing

test("a press plays the move of its cell or of its column", async () => {
  const stones = await opened("gomoku", 0);
  stones.press(5);
  assert.deepEqual(stones.asked, [["play", 5]]);
  const discs = await opened("clocks", 1);
  discs.press(37);
  discs.press(16);
  assert.deepEqual(discs.asked, [["play", 2], ["play", 2]]);
});

test("a piece is picked and then moved, and another piece can be picked instead", async () => {
  const { asked, press, said, circles } = await opened("draughts", 0);
  assert.match(said(17), /press Enter to pick this piece/);
  assert.equal(circles({ opacity: 0.5, r: 0.1 }).length, 4); // pieces that can move
  press(19);
  press(17);
  assert.deepEqual(asked, []);
  assert.match(said(24), /press Enter to play here/);
  assert.doesNotMatch(said(28), /press/);
  assert.deepEqual(circles({ r: 0.42 }).map(centre), Array(2).fill([6.5, 5.5])); // 17, turned by half
  assert.deepEqual(circles({ r: 0.17 }).map(centre), [[7.5, 4.5], [5.5, 4.5]]);
  assert.equal(circles({ opacity: 0.5, r: 0.1 }).length, 0);
  press(26);
  assert.deepEqual(asked, [["play", 269]]);
});

test("Escape and a press elsewhere let go of a picked piece", async () => {
  const { asked, press, key, circles } = await opened("draughts", 0);
  press(17);
  key(17, "Escape");
  assert.equal(circles({ r: 0.42 }).length, 0);
  press(17);
  press(40);
  assert.equal(circles({ r: 0.42 }).length, 0);
  press(24);
  assert.deepEqual(asked, []);
});

test("a new position lets go of a picked piece and of a cell that was aimed at", async () => {
  const pieces = await opened("draughts", 0);
  pieces.press(17);
  pieces.board.show(copy(pieces.position));
  assert.equal(pieces.circles({ r: 0.42 }).length, 0);
  const stones = await opened("gomoku", 0);
  browser.cellSize = 20;
  stones.tap(5);
  stones.board.show(copy(stones.position));
  assert.deepEqual(stones.asked, [["aim", 5, "f1"], ["aim", null, ""]]);
});

test("a finger aims at small cells and confirms, and plays on large ones at once", async () => {
  const { asked, tap, press, all } = await opened("gomoku", 0);
  browser.cellSize = 20;
  const drawn = all("path").length;
  tap(5);
  assert.equal(all("path").length, drawn + 2); // the cross
  tap(6);
  tap(6);
  tap(7, "mouse");
  tap(8);
  press(9); // by a screen reader
  assert.deepEqual(asked, [["aim", 5, "f1"], ["aim", 6, "g1"], ["aim", null, ""], ["play", 6], ["play", 7], ["aim", 8, "i1"], ["aim", null, ""], ["play", 9]]);
  browser.cellSize = 40;
  tap(10);
  assert.deepEqual(asked.at(-1), ["play", 10]);
});

test("the server is asked about a taken cell where each move puts something on an empty one", async () => {
  for (const [name, reader, taken] of [["gomoku", 0, 112], ["hex", 1, 24], ["othello", 1, 27]]) {
    const { asked, press } = await opened(name, reader);
    press(taken);
    assert.deepEqual(asked, [["play", taken]], name);
  }
  for (const [name, reader, at] of [["draughts", 0, 40], ["othello", 1, 0], ["kalah", 0, 8], ["clocks", 0, 31]]) {
    const { asked, press } = await opened(name, reader);
    press(at);
    assert.deepEqual(asked, [], name);
  }
});

test("a locked board plays nothing and says so", async () => {
  const { board, asked, press, said } = await opened("gomoku", 0);
  board.lock(true);
  press(5);
  press(112);
  assert.deepEqual(asked, []);
  assert.equal(board.element.classList.contains("locked"), true);
  assert.equal(said(5), "f1, empty");
  board.lock(false);
  press(5);
  assert.deepEqual(asked, [["play", 5]]);
  assert.equal(board.element.classList.contains("locked"), false);
});

// Keys

test("arrows go to the nearest cell in their direction, and nowhere from the edge", async () => {
  const { key, focused } = await opened("gomoku", 0);
  for (const [name, at] of [["ArrowUp", 97], ["ArrowDown", 127], ["ArrowLeft", 111], ["ArrowRight", 113]]) {
    key(112, name);
    assert.equal(focused(), at, name);
  }
  key(7, "ArrowUp");
  assert.equal(focused(), 7);
  const hexagons = await opened("hex", 0);
  hexagons.key(27, "ArrowRight"); // the end of its row; the rows below begin further right
  assert.equal(hexagons.focused(), 27);
});

for (const name of ["draughts", "hex", "gomoku", "othello", "dots", "kalah"]) {
  for (const reader of [0, 1]) {
    test(`arrows go down ${name} row by row, and back the same way, for reader ${reader}`, async () => {
      const { key, focused, cells, board } = await opened(name, reader);
      const high = (at) => board.description.cells[at].y;
      const pits = (at) => name !== "kalah" || board.description.cells[at].shape === "pit";
      const reachable = cells.map((_, at) => at).filter((at) => cells[at].getAttribute("aria-hidden") !== "true" && pits(at));
      reachable.sort((one, other) => high(one) - high(other));
      const way = [reachable[0]];
      for (key(way[0], "ArrowDown"); focused() !== way.at(-1); key(way.at(-1), "ArrowDown")) way.push(focused());
      assert.deepEqual(way.map(high), [...new Set(reachable.map(high))], "no row is left out");
      for (const before of way.slice(0, -1).reverse()) {
        key(focused(), "ArrowUp");
        assert.equal(focused(), before);
      }
    });
  }
}

test("arrows, Home and End keep to the cells that one can play on, as they are seen", async () => {
  const ben = await opened("draughts", 1);
  for (const [name, at] of [["ArrowRight", 5], ["ArrowLeft", 1], ["Home", 1], ["End", 7]]) {
    ben.key(3, name);
    assert.equal(ben.focused(), at, name);
  }
  const ada = await opened("draughts", 0);
  for (const [name, at] of [["ArrowRight", 1], ["ArrowLeft", 5], ["Home", 7], ["End", 1]]) {
    ada.key(3, name);
    assert.equal(ada.focused(), at, name);
  }
});

test("Enter and the space bar play", async () => {
  const { asked, key } = await opened("gomoku", 0);
  key(5, "Enter");
  key(6, " ");
  assert.deepEqual(asked, [["play", 5], ["play", 6]]);
});

test("the keyboard enters the board at one cell, that of the last visit", async () => {
  const { cells } = await opened("draughts", 0);
  const entries = () => cells.flatMap((cell, at) => (cell.tabIndex === 0 ? [at] : []));
  assert.deepEqual(entries(), [1]);
  assert.equal(cells[0].getAttribute("aria-hidden"), "true");
  assert.equal(cells[1].getAttribute("aria-hidden"), null);
  cells[24].focus();
  assert.deepEqual(entries(), [24]);
});

test("the page hears no key that the board has used, and the browser those with Ctrl, Alt and Meta", async () => {
  const { key, focused } = await opened("gomoku", 0);
  const heard = [];
  document.addEventListener("keydown", (event) => heard.push(event.key));
  assert.equal(key(112, "ArrowLeft").defaultPrevented, true);
  assert.deepEqual(heard, []);
  for (const held of ["ctrlKey", "metaKey", "altKey"]) assert.equal(key(112, "ArrowLeft", { [held]: true }).defaultPrevented, false);
  assert.equal(focused(), 112);
  assert.equal(key(112, "x").defaultPrevented, false);
  assert.equal(heard.length, 4);
});

// What is seen

test("a mouse and the keyboard show the piece where it would land", async () => {
  const { board, cells, ghosts } = await opened("clocks", 1);
  const [, ben] = made.clocks.board.palettes.classic.pieces;
  cells[10].send("pointermove", { pointerType: "mouse" });
  const [ghost] = ghosts();
  assert.deepEqual(centre(ghost.querySelector("circle")), [3.5, 3.5]); // on the two discs of column 4
  assert.equal(ghost.querySelector("circle").getAttribute("fill"), ben.fill);
  assert.equal(board.grid.classList.contains("playable"), true);
  board.grid.send("pointerleave");
  assert.equal(ghosts().length, 0);
  assert.equal(board.grid.classList.contains("playable"), false);
  cells[10].send("pointermove", { pointerType: "touch" });
  assert.equal(ghosts().length, 0);
  cells[10].focus();
  assert.equal(ghosts().length, 1);
  cells[10].send("focusout");
  assert.equal(ghosts().length, 0);
});

test("no ghost covers a piece, and it has the colour that a move puts", async () => {
  const seeds = await opened("kalah", 0);
  seeds.cells[0].send("pointermove", { pointerType: "mouse" });
  assert.equal(seeds.ghosts().length, 0);
  const stones = await opened("gomoku", 0, [], (position) => { position.puts = 1; });
  stones.cells[0].send("pointermove", { pointerType: "mouse" });
  assert.equal(stones.ghosts()[0].querySelector("circle").getAttribute("fill"), made.gomoku.board.palettes.classic.pieces[1].fill);
});

test("the winning line stands out", async () => {
  const { all, said } = await opened("over", 0);
  const pale = all(".piece").filter((one) => one.getAttribute("opacity") === "0.4");
  assert.deepEqual(pale.map((one) => centre(one.querySelector("circle"))), [[1.5, 3.5], [1.5, 4.5], [1.5, 5.5]]);
  assert.equal(all("circle").filter((one) => one.getAttribute("stroke-width") === "0.065").length, 4);
  assert.match(said(21), /in the winning line/);
  assert.doesNotMatch(said(22), /line/);
});

test("the last move is marked, at its beginning too, and so are its coordinates", async () => {
  const discs = await opened("clocks", 1);
  assert.deepEqual(discs.circles({ r: 0.43 }).map(centre), [[3.5, 4.5]]);
  const { ink, frame } = made.clocks.board.palettes.classic;
  assert.deepEqual(discs.all(".label").map((one) => [one.textContent, one.getAttribute("fill")]).filter(([, fill]) => fill !== ink), [["4", frame]]);
  const moved = await opened("draughts", 1, [], ({ marks, pieces }) => {
    Object.assign(marks, { last: [24], from: [17] });
    pieces.find((piece) => piece.at === 17).at = 24;
  });
  assert.deepEqual(moved.circles({ r: 0.12 }).map(centre), [[0.5, 3.5]]);
  assert.deepEqual(moved.circles({ r: 0.43 }).map(centre), [[1.5, 2.5]]);
  const drawn = await opened("tic-tac-toe", 1);
  assert.equal(drawn.all("rect").filter((one) => one.getAttribute("stroke") === "#fff").length, 1);
});

test("a hint and the legal moves are marked", async () => {
  const { board, position, circles, said } = await opened("othello", 1);
  assert.deepEqual(circles({ r: 0.11 }).map(centre), [[2.5, 2.5], [4.5, 2.5], [2.5, 4.5]]);
  board.show(copy(position), [20]);
  assert.deepEqual(circles({ r: 0.4, "stroke-width": 0.07 }).map(centre), [[4.5, 2.5]]);
  assert.match(said(20), /hint/);
  assert.doesNotMatch(said(18), /hint/);
});

test("while the coach holds an answer, the move, the threat and the better move are marked", async () => {
  const { board, position, all, said, circles } = await opened("gomoku", 0);
  board.show(copy(position), [5], { threat: [5, 6], seat: 0 });
  assert.deepEqual(all(".threat circle").map(centre), Array(2).fill([6.5, 0.5])); // not over the better move
  assert.deepEqual(all(".pause circle").map(centre), [[7.8, 8.2]]);
  assert.deepEqual(circles({ r: 0.41, fill: made.gomoku.board.palettes.classic.pieces[0].fill }).map(centre), [[7.5, 7.5], [5.5, 0.5]]);
  assert.ok(said(6).includes(TEXTS.page_cell_threat));
  board.show(copy(position));
  assert.equal(all(".threat").length + all(".pause").length, 0);
  assert.ok(!said(6).includes(TEXTS.page_cell_threat));
});

test("a look changes the colours, one with letters writes them, and an unknown one is the classic look", async () => {
  const { board, all } = await opened("clocks", 1);
  const fills = () => all(".piece circle").map((one) => one.getAttribute("fill")).filter((fill) => fill !== "none");
  const texts = () => all(".piece text").map((one) => one.textContent);
  const classic = fills();
  assert.deepEqual(texts(), []);
  board.dress("colour-blind");
  assert.deepEqual(fills(), ["#0072b2", "#f0e442", "#0072b2"]);
  board.dress("letters");
  assert.deepEqual(texts(), ["R", "Y", "R"]);
  board.dress("of last year");
  assert.deepEqual(fills(), classic);
});

test("counts are written in the pits", async () => {
  const { all, said } = await opened("kalah", 0, [], (position) => { position.pieces[2].count = 11; });
  assert.deepEqual(all(".piece text").map((one) => one.textContent), ["4", "4", "11", "4", "4", "4", "4", "4", "4", "4", "4", "4", "0", "0"]);
  assert.match(said(2), /^c, 11 Ada/);
});

test("text on light colours is dark, and on dark ones light", async () => {
  openWindow(TEXTS);
  const { legible } = await load("board.js");
  assert.deepEqual(["#ffffff", "#ffd142", "#de3a42", "#000000", "#00ff00", "#0000ff"].map(legible), ["#111", "#111", "#fff", "#fff", "#111", "#fff"]);
});

// Motion

async function moved(name, reader, features, change) {
  const one = await opened(name, reader, features);
  const next = copy(one.position);
  change(next);
  one.board.show(next);
  return { ...one, moving: () => one.all("g").filter((shape) => shape.animations.length) };
}

const dropped = (position) => { position.pieces.push({ at: 36, side: 1 }); };

test("a new disc falls within a quarter of a second, for people who want motion", async () => {
  const { moving } = await moved("clocks", 1, [], dropped);
  const [fall] = moving();
  assert.deepEqual(centre(fall.querySelector("circle")), [1.5, 5.5]);
  assert.equal(moving().length, 1);
  assert.match(fall.animations[0].frames[0].transform, /translateY\(-6px\)/);
  assert.ok(fall.animations[0].duration <= 250);
  assert.deepEqual((await moved("clocks", 1, [STILL], dropped)).moving(), []);
});

test("a disc that changes sides is turned, and its old side is gone afterwards", async () => {
  const turned = (position) => {
    position.pieces.push({ at: 18, side: 1 });
    position.pieces.find((piece) => piece.at === 27).side = 1;
  };
  const { moving, all } = await moved("othello", 1, [], turned);
  assert.equal(all(".piece").length, 7);
  assert.equal(moving().length, 3);
  for (const shape of moving()) assert.ok(shape.animations[0].duration + (shape.animations[0].delay ?? 0) <= 250);
  await settled();
  assert.equal(all(".piece").length, 6);
});

test("a jump to another position moves nothing", async () => {
  const { moving } = await moved("clocks", 1, [], (position) => { position.pieces = []; });
  const filled = await moved("clocks", 1, [], (position) => position.pieces.push(...[0, 1, 2].map((at) => ({ at, side: 0 }))));
  assert.deepEqual([moving(), filled.moving()], [[], []]);
});

// Reading

test("each cell says its name, what lies there, and what a press does", async () => {
  const discs = await opened("clocks", 1);
  assert.equal(discs.said(31), "row 2 of column 4, Ada, last move, press Enter to play here");
  assert.equal(discs.said(41), "row 1 of column 7, empty, press Enter to play here");
  const crowned = await opened("draughts", 1, [], (position) => { position.pieces[0].kind = "king"; });
  assert.equal(crowned.said(1), "1, king Ada");
  assert.equal(crowned.said(24), "13, empty");
  assert.equal(crowned.all(".piece path").length, 1); // the crown
});

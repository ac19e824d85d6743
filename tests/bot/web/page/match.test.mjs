import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, copy, load, made, openWindow, put, settled } from "./browser.mjs";

const TEXTS = made.texts;
const BOTTOM = [0, 1, 0]; // whose seat is below the board for Ada, Ben and a spectator

// The page of a match as that reader has it: 0 is Ada, 1 Ben, 2 a spectator. change(document): before it is shown.
async function opened(name, reader, change = () => {}) {
  openWindow(TEXTS);
  put("session", true);
  const { open } = await load("match.js");
  const first = copy(made[name].readers[reader]);
  change(first);
  if (first.result) browser.answers.set("/api/matches/key/replay", made[name].replay);
  const leave = open(first, copy(made[name].board));
  await settled();
  return page(first, leave);
}

function page(first, leave) {
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => document.querySelectorAll(selector);
  const socket = () => browser.sockets.at(-1);
  return {
    first, leave, find, all, socket,
    text: (selector) => find(selector)?.textContent,
    // The server takes the connection and has nothing newer.
    answer: () => { socket().accept(); socket().say({ type: "current" }); },
    // A newer document, changed from the one that was shown first.
    show: (change) => {
      const newer = copy(first);
      newer.version += 1;
      change(newer);
      socket().say({ type: "match", match: newer });
    },
    // The two seats in their order in the match.
    seats: (reader) => {
      const [above, , below] = find(".table").children;
      return BOTTOM[reader] === 0 ? [below, above] : [above, below];
    },
    buttons: () => all("button").filter((one) => one.closest(".panel") && !one.closest(".replay") && !one.hidden && one.textContent !== TEXTS.page_sign_out).map((one) => one.textContent),
    press: (text) => {
      const button = all("button").find((one) => one.textContent === text && !one.hidden);
      assert.ok(button, `no button ${text}`);
      button.click();
    },
    cell: (at) => all(".cell")[at],
    commands: () => browser.sockets.flatMap((one) => one.sent).filter((one) => one.type !== "watch").map(({ id, ...rest }) => rest),
  };
}

for (const reader of [0, 1, 2]) {
  const name = ["Ada", "Ben", "a spectator"][reader];

  test(`${name} sees each name, rating and clock at its own seat, and the own seat below`, async () => {
    const { seats, find } = await opened("clocks", reader);
    const told = seats(reader).map((seat) => [seat.querySelector(".name").textContent, seat.querySelector(".about").textContent, seat.querySelector(".clock").textContent]);
    assert.deepEqual(told, [["Ada", "1700", "4:15"], ["Ben", "about 1500", "4:08"]]);
    assert.equal(seats(reader)[BOTTOM[reader]].classList.contains("own"), true);
    assert.deepEqual(seats(reader).map((seat) => seat.classList.contains("moving")), [false, true]);
    assert.match(find("title")?.textContent ?? document.title, /Ada – Ben/);
  });

  test(`${name} sees the clock of the side to move run down, and the other stand`, async () => {
    const { seats, show } = await opened("clocks", reader);
    const clocks = () => seats(reader).map((seat) => seat.querySelector(".clock"));
    await browser.clock.advance(9000);
    assert.deepEqual(clocks().map((one) => one.textContent), ["4:15", "3:59"]);
    assert.deepEqual(clocks().map((one) => one.classList.contains("runs")), [false, true]);
    await browser.clock.advance(220_000);
    assert.deepEqual(clocks().map((one) => [one.textContent, one.classList.contains("low")]), [["4:15", false], ["0:19.0", true]]);
    await browser.clock.advance(60_000);
    assert.deepEqual(clocks().map((one) => one.textContent), ["4:15", "0:00.0"]);
    browser.sockets.at(-1).accept();
    show((newer) => {
      newer.clock = { left: [3725, 59], running: 0, increment: 3 };
      newer.status = { ...newer.status, seat: 0 };
    });
    await browser.clock.advance(5000);
    assert.deepEqual(clocks().map((one) => [one.textContent, one.classList.contains("runs")]), [["1:02:00", true], ["0:59", false]]);
    show((newer) => {
      newer.version += 1;
      newer.result = { winner: 1, text: "Ben wins on time.", ratings: null };
      newer.clock = { left: [0, 59], running: null, increment: 3 };
    });
    await browser.clock.advance(5000);
    assert.deepEqual(clocks().map((one) => [one.textContent, one.classList.contains("runs")]), [["0:00.0", false], ["0:59", false]]);
    assert.deepEqual(seats(reader).map((seat) => [seat.classList.contains("winner"), seat.classList.contains("moving")]), [[false, false], [true, false]]);
  });

  test(`${name} has the buttons of that seat alone`, async () => {
    const one = await opened("clocks", reader);
    one.answer();
    assert.deepEqual(one.buttons(), [["Undo", "Offer a draw", "Resign"], ["Hint", "Undo", "Offer a draw", "Resign"], []][reader]);
    const other = await opened("offers", reader);
    other.answer();
    const asked = [
      [],
      ["Accept", "Decline", "Accept", "Decline"],
      [],
    ][reader];
    assert.deepEqual(other.buttons().filter((text) => ["Accept", "Decline"].includes(text)), asked);
    assert.equal(other.all(".offer").length, [2, 2, 0][reader]);
    if (reader === 0) assert.deepEqual(other.all(".offer p").map((told) => told.textContent), [TEXTS.page_own_draw, TEXTS.page_own_undo]);
  });

  test(`${name} sees whose turn it is`, async () => {
    const { text, find, all, answer, cell, commands } = await opened("clocks", reader);
    answer();
    assert.equal(text(".status"), reader === 1 ? "Your turn" : "Ben to move");
    assert.equal(document.title.startsWith("● "), reader === 1);
    assert.equal(all(".status .chip circle")[0].getAttribute("fill"), made.clocks.board.palettes.classic.pieces[1].fill);
    assert.equal(find(".board").classList.contains("locked"), false);
    cell(5).click();
    assert.deepEqual(commands(), reader === 1 ? [{ type: "play", turn: 3, move: 5 }] : []);
  });
}

test("a finished match shows both changes of ratings at their seats", async () => {
  const { seats } = await opened("over", 1);
  assert.deepEqual(seats(1).map((seat) => seat.querySelector(".about").textContent), ["1712 (+12)", "about 1450"]);
  assert.deepEqual(seats(1).map((seat) => seat.classList.contains("winner")), [true, false]);
});

test("scores and the lack of a clock belong to their seats", async () => {
  const { seats, find, show, answer } = await opened("kalah", 0);
  answer();
  show((newer) => { newer.seats[0].score = 7; newer.seats[1].score = 2; });
  assert.deepEqual(seats(0).map((seat) => seat.querySelector(".score").textContent), ["7", "2"]);
  assert.equal(find(".clock"), null);
  const agent = await opened("clocks", 0, (first) => { first.clock.left[1] = null; first.seats[1].character = "slow"; });
  assert.deepEqual(agent.seats(0).map((seat) => seat.querySelector(".clock")?.textContent), ["4:15", undefined]);
  assert.equal(agent.seats(0)[1].querySelector(".about").textContent, "about 1500 · slow");
});

test("nothing can be pressed before the server has answered", async () => {
  const { all, cell, commands, socket, find } = await opened("clocks", 1);
  socket().accept();
  cell(5).click();
  assert.deepEqual(commands(), []);
  assert.equal(find(".board").classList.contains("locked"), true);
  assert.ok(all(".actions button").every((one) => one.disabled));
  socket().say({ type: "current" });
  assert.ok(all(".actions button").every((one) => !one.disabled));
  cell(5).click();
  assert.equal(commands().length, 1);
});

test("a sent move locks the board until its document comes", async () => {
  const { answer, cell, commands, find, show, press } = await opened("clocks", 1);
  answer();
  cell(5).click();
  cell(6).click();
  press("Resign");
  assert.deepEqual(commands(), [{ type: "play", turn: 3, move: 5 }]);
  assert.equal(find("main").classList.contains("sending"), true);
  show((newer) => { newer.turn = 4; });
  assert.equal(find("main").classList.contains("sending"), false);
  assert.equal(find(".board").classList.contains("locked"), false);
});

test("a move that is under way when the connection breaks stays under way and is sent again", async () => {
  const { answer, cell, commands, find, socket } = await opened("clocks", 1);
  answer();
  cell(5).click();
  socket().end();
  assert.equal(find(".banner").hidden, false);
  assert.equal(find("main").classList.contains("sending"), true);
  assert.equal(find("main").classList.contains("lost"), true);
  await browser.clock.advance(600);
  answer();
  assert.equal(find(".banner").hidden, true);
  assert.equal(find("main").classList.contains("lost"), false);
  assert.equal(find(".board").classList.contains("locked"), true);
  cell(6).click(); // the first move is still under way
  assert.deepEqual(commands(), [{ type: "play", turn: 3, move: 5 }, { type: "play", turn: 3, move: 5 }]);
  const [again] = socket().sentOf("play");
  socket().say({ type: "done", id: again.id, version: 3 });
  assert.equal(find(".board").classList.contains("locked"), false);
});

test("another command that is under way when the connection breaks is given up", async () => {
  const { answer, press, commands, find, socket, cell } = await opened("clocks", 1);
  answer();
  press("Undo");
  socket().end();
  assert.equal(find("main").classList.contains("sending"), false);
  await browser.clock.advance(600);
  answer();
  assert.deepEqual(commands(), [{ type: "undo", turn: 3 }]);
  cell(5).click();
  assert.equal(commands().length, 2);
});

test("while the connection is lost the page says that it is trying, and why", async () => {
  const { answer, find, socket, text, all } = await opened("clocks", 1);
  answer();
  socket().say({ type: "bye", reason: "web_full", text: "It is full.", final: false });
  socket().end();
  assert.deepEqual([text(".banner"), find(".banner").hidden], [`It is full. ${TEXTS.page_again}`, false]);
  assert.equal(find(".board").classList.contains("locked"), true);
  assert.ok(all(".actions button").every((one) => one.disabled));
  await browser.clock.advance(600);
  socket().accept();
  assert.equal(find(".banner").hidden, false, "the server has not answered yet");
  socket().end();
  assert.equal(text(".banner"), TEXTS.page_lost);
  await browser.clock.advance(1100);
  answer();
  assert.equal(find(".banner").hidden, true);
});

test("a final word stays, and what was under way is not waited for", async () => {
  const { answer, find, socket, text, cell } = await opened("clocks", 1);
  answer();
  cell(5).click();
  socket().say({ type: "bye", reason: "page_gone", text: "It is gone.", final: true });
  socket().end();
  await browser.clock.advance(100_000);
  assert.deepEqual([text(".banner"), find(".banner").hidden, browser.sockets.length], ["It is gone.", false, 1]);
  assert.equal(find("main").classList.contains("sending"), false);
  assert.equal(find(".board").classList.contains("locked"), true);
});

test("a refused move says why until the next command, and the board can be used", async () => {
  const { answer, cell, find, socket, text } = await opened("clocks", 1);
  answer();
  cell(5).click();
  const [{ id }] = socket().sentOf("play");
  socket().say({ type: "refused", id, reason: "stale", text: "Too late.", version: 3 });
  assert.equal(text(".refusal"), "Too late.");
  assert.equal(find(".board").classList.contains("locked"), false);
  cell(6).click();
  assert.equal(text(".refusal"), "");
  assert.equal(socket().sentOf("play").length, 2);
});

test("each button sends its own command", async () => {
  const { answer, press, commands, socket, find } = await opened("clocks", 1);
  answer();
  const done = () => socket().say({ type: "done", id: socket().sent.at(-1).id, version: 3 });
  for (const text of ["Hint", "Undo", "Offer a draw"]) {
    press(text);
    done();
  }
  press("Resign");
  assert.equal(commands().length, 3, "it is asked first");
  assert.equal(document.activeElement.textContent, TEXTS.page_keep_playing);
  press(TEXTS.page_keep_playing);
  assert.equal(find(".asking"), null);
  press("Resign");
  find(".asking .danger").click();
  done();
  assert.deepEqual(commands(), ["hint", "undo", "draw", "resign"].map((type) => ({ turn: 3, type })));
});

test("each answer belongs to its offer", async () => {
  const { answer, all, commands, socket } = await opened("offers", 1);
  answer();
  for (let at = 0; at < 4; at += 1) {
    all(".offer button")[at].click();
    socket().say({ type: "done", id: socket().sent.at(-1).id, version: 1 });
  }
  const turn = 1;
  assert.deepEqual(commands(), [
    { turn, type: "answer", offer: "draw", accept: true }, { turn, type: "answer", offer: "draw", accept: false },
    { turn, type: "answer", offer: "undo", accept: true }, { turn, type: "answer", offer: "undo", accept: false },
  ]);
  assert.match(all(".offer button")[0].getAttribute("aria-label"), /^Accept: .*Ada offers a draw/);
});

test("moves without a square are buttons under their heading", async () => {
  const { answer, press, commands } = await opened("hex", 1);
  answer();
  press("Or take the first stone over, mirrored");
  assert.deepEqual(commands(), [{ turn: 1, type: "play", move: 49 }]);
  const pop = await opened("pop out", 0);
  pop.answer();
  const pops = made["pop out"].readers[0].position.moves.filter((one) => one.press?.length === 0);
  if (pops.length) {
    pop.find(".group button").click();
    assert.equal(pop.commands()[0].move, pops[0].move);
  }
  const passing = await opened("othello", 1, (first) => { first.position.moves = [{ move: 64, name: "pass", press: [] }]; });
  passing.answer();
  passing.press("Pass");
  assert.deepEqual(passing.commands(), [{ turn: 1, type: "play", move: 64 }]);
});

test("a hint is shown for its turn alone", async () => {
  const { answer, press, socket, text, show, cell, find } = await opened("clocks", 1);
  answer();
  press("Hint");
  socket().say({ type: "hint", id: 1, turn: 2, at: [38], text: "An old one." });
  assert.equal(find(".coach").hidden, true);
  socket().say({ type: "hint", id: 1, turn: 3, at: [39], text: "Take column 5." });
  assert.equal(text(".coach p"), "Take column 5.");
  assert.match(cell(39).getAttribute("aria-label"), /hint/);
  show((newer) => { newer.turn = 4; });
  assert.equal(find(".coach").hidden, true);
});

test("a finished match and its review show no hint, nor one that comes late", async () => {
  const { answer, socket, show, cell, find } = await opened("clocks", 1);
  const isMarked = () => /hint/.test(cell(39).getAttribute("aria-label"));
  const hint = { type: "hint", id: 1, turn: 3, at: [39], text: "Take column 5." };
  answer();
  socket().say(hint);
  assert.equal(isMarked(), true);
  browser.answers.set("/api/matches/key/replay", made.clocks.replay);
  show((newer) => { newer.result = { winner: 0, text: "Ada wins.", ratings: null }; });
  assert.deepEqual([find(".coach").hidden, isMarked()], [true, false]);
  await settled();
  assert.equal(find(".replay") !== null, true);
  socket().say(hint);
  assert.deepEqual([find(".coach").hidden, isMarked()], [true, false]);
});

test("while the coach holds the answer, it offers three choices, and a fourth with the better move", async () => {
  const { answer, socket, show, press, commands, find, all, text, cell } = await opened("clocks", 0);
  const labels = () => all(".coach button").map((one) => one.textContent);
  const choices = [{ choice: "back", text: "Take back" }, { choice: "better", text: "Show me" }, { choice: "on", text: "Play on" }];
  answer();
  assert.equal(find(".coach").hidden, true);
  show((newer) => { newer.coach = { text: "Wait: Mia can win at once.", at: [39], note: "Mia has not moved yet.", choices }; });
  assert.equal(text(".coach p"), "Wait: Mia can win at once.");
  assert.deepEqual(labels(), ["Take back", "Show me", "Play on"]);
  assert.match(cell(39).getAttribute("aria-label"), /a threat/);
  assert.equal(all("g.threat").length, 1);
  assert.equal(all("g.pause").length, 1);
  press("Show me");
  assert.deepEqual(commands().at(-1), { turn: 3, type: "coach", choice: "better" });
  socket().say({ type: "better", id: 1, turn: 3, at: [38], text: "Column 5 instead stops it.", choices: [{ choice: "instead", text: "Play 5" }] });
  socket().say({ type: "done", id: 1, version: 1 });
  assert.equal(text(".coach p"), "Wait: Mia can win at once. Column 5 instead stops it.");
  assert.deepEqual(labels(), ["Play 5", "Take back", "Play on"]);
  assert.match(cell(38).getAttribute("aria-label"), /hint/);
  press("Play 5");
  assert.deepEqual(commands().at(-1), { turn: 3, type: "coach", choice: "instead" });
  show((newer) => { newer.version += 1; newer.turn = 5; newer.coach = null; });
  assert.equal(find(".coach").hidden, true);
});

test("the question whether to rate is asked, and its answer shown", async () => {
  const { answer, socket, press, commands, text } = await opened("over", 0);
  answer();
  socket().say({ type: "rate", text: "Rate the next?", yes: "Yes, rate", no: "No" });
  press("Yes, rate");
  assert.deepEqual(commands(), [{ turn: 7, type: "rate", yes: true }]);
  socket().say({ type: "rate", text: "It will count." });
  assert.equal(text(".offer p"), "It will count.");
});

test("the ways on from the end stand above the question whether to rate", async () => {
  const { answer, socket, buttons, find } = await opened("over", 0);
  answer();
  socket().say({ type: "rate", text: "Rate the next?", yes: "Yes, rate", no: "No" });
  const [ways, question] = find(".actions").children;
  assert.deepEqual([ways.className, question.className], ["ends", "offer"]);
  assert.deepEqual(buttons().slice(-2), ["Yes, rate", "No"]);
});

test("the list has each move with its number and its side's disc", async () => {
  const { all } = await opened("clocks", 0);
  const pieces = made.clocks.board.palettes.classic.pieces;
  assert.deepEqual(all(".moves li").map((one) => one.textContent), ["14", "21", "34"]);
  assert.deepEqual(all(".moves .chip circle").map((one) => one.getAttribute("fill")), [0, 1, 0].map((side) => pieces[side].fill));
});

test("readers are counted, and a rematch leads on", async () => {
  const { answer, socket, text } = await opened("clocks", 2);
  answer();
  socket().say({ type: "presence", watching: 3, here: [true, true] });
  assert.equal(text(".watchers"), "Watching: 3");
  socket().say({ type: "moved", to: "/m/other" });
  assert.deepEqual(browser.went, ["/m/other"]);
});

test("a document of a newer kind reloads the page", async () => {
  const { answer, show, text } = await opened("clocks", 2);
  answer();
  show((newer) => { newer.format = 2; newer.last = "new"; });
  assert.equal(browser.reloads, 1);
  assert.notEqual(text(".last"), "new");
});

test("after a restored backup neither advice nor the replay of the later match stays", async () => {
  const { answer, show, find, socket } = await opened("over", 0);
  answer();
  socket().say({ type: "rate", text: "Rate the next?", yes: "Yes, rate", no: "No" });
  assert.ok(find(".replay"));
  const before = made.clocks.readers[0];
  show((newer) => Object.assign(newer, copy(before), { epoch: "two", version: 1 }));
  assert.equal(find(".replay"), null);
  assert.equal(find(".offer"), null);
});

test("a page that is left stops its clocks, and signing out leaves it", async () => {
  const { answer, press, text } = await opened("clocks", 1);
  answer();
  browser.answers.set("/api/session", [429, { text: "Wait a moment." }]);
  press("Sign out");
  await settled();
  assert.equal(text(".refusal"), "Wait a moment.");
  browser.answers.set("/api/session", {});
  press("Sign out");
  await settled();
  assert.equal(text("h1"), "You are signed out here.");
  assert.deepEqual([browser.clock.timers.size, browser.sockets[0].isClosedByPage], [0, true]);
  assert.equal(browser.asked.at(-1)[1].method, "DELETE");
});

test("a replay that cannot be had is asked for again", async () => {
  openWindow(TEXTS);
  const { open } = await load("match.js");
  open(copy(made.over.readers[2]), copy(made.over.board));
  await settled();
  assert.equal(document.querySelector(".refusal").textContent, TEXTS.page_failed);
  browser.answers.set("/api/matches/key/replay", made.over.replay);
  await browser.clock.advance(5100);
  assert.equal(document.querySelector(".refusal").textContent, "");
  assert.ok(document.querySelector(".replay"));
});

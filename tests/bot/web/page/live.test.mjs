import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, happens, load, look, openWindow } from "./browser.mjs";

const FIRST = { match: "key", version: 5, epoch: "one" };
const BUSY = { type: "bye", reason: "web_slow_down", text: "Wait.", final: false };
const GONE = { type: "bye", reason: "page_gone", text: "It is gone.", final: true };

// A connection of a page that shows version 5, and all that it told the page.
async function connected() {
  openWindow();
  const { connect } = await load("live.js");
  const told = [];
  const leaving = new AbortController();
  const send = connect(FIRST, {
    open: () => told.push("open"),
    lost: (bye) => told.push(bye ? `lost: ${bye.reason}` : "lost"),
    document: (match) => told.push(match),
    message: (message) => told.push(message.type),
  }, leaving.signal);
  const socket = () => browser.sockets.at(-1);
  // The server takes the connection and has nothing newer.
  const answer = () => { socket().accept(); socket().say({ type: "current" }); };
  return { told, send, leaving, socket, answer };
}

const opened = () => browser.sockets.length;

// The connection ends, and the page opens another one.
async function comesBack() {
  browser.sockets.at(-1).end();
  const before = opened();
  while (opened() === before) await browser.clock.advance(50);
}

test("the page says what it shows, and is open once the server has answered", async () => {
  const { told, socket } = await connected();
  assert.match(socket().url, /^wss:\/\/play\.example\.org\/live\?page=\w+$/);
  socket().accept();
  assert.deepEqual(socket().sent, [{ type: "watch", match: "key", have: 5, epoch: "one" }]);
  assert.deepEqual(told, []);
  socket().say({ type: "current" });
  assert.equal(told[0], "open");
});

test("an older document is dropped, a newer one shown, and one of a restored database too", async () => {
  const { told, socket } = await connected();
  socket().accept();
  for (const [version, epoch] of [[4, "one"], [5, "one"], [6, "one"], [6, "one"], [2, "two"], [1, "two"], [3, "two"]]) {
    socket().say({ type: "match", match: { version, epoch } });
  }
  const shown = told.filter((one) => one.version).map((one) => [one.version, one.epoch]);
  assert.deepEqual(shown, [[6, "one"], [2, "two"], [3, "two"]]);
  socket().end();
  await browser.clock.advance(1000);
  socket().accept();
  assert.deepEqual(socket().sent[0], { type: "watch", match: "key", have: 3, epoch: "two" });
});

for (const [name, bye] of [["no word", null], ["a busy server", BUSY], ["a restart", { type: "bye", reason: "restart" }]]) {
  test(`after ${name} the page comes back, in growing pauses of at most 30 s`, async () => {
    const { told, socket, answer } = await connected();
    answer();
    const pauses = [];
    for (let round = 0; round < 9; round += 1) {
      if (bye) socket().say(bye);
      socket().end();
      assert.equal(told.at(-1), bye ? `lost: ${bye.reason}` : "lost");
      const [before, began] = [opened(), browser.clock.now];
      while (opened() === before) await browser.clock.advance(50);
      pauses.push(browser.clock.now - began);
      socket().accept();
    }
    assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000, 15000, 30000, 30000, 30000]);
    assert.equal(told.filter((one) => one === "open").length, 1);
    answer(); // it was let in: pauses begin anew
    socket().end();
    await browser.clock.advance(500);
    assert.equal(opened(), 11);
  });
}

test("pages that a restart has cut off do not come back at the same moment", async () => {
  const moments = [];
  for (const luck of [0, 0.999]) {
    const { socket } = await connected();
    browser.luck = luck;
    socket().end();
    const began = browser.clock.now;
    while (opened() === 1) await browser.clock.advance(10);
    moments.push(browser.clock.now - began);
  }
  assert.deepEqual(moments, [350, 650]);
});

test("after a final word the page never comes back", async () => {
  const { told, socket, answer } = await connected();
  answer();
  socket().say(GONE);
  socket().end();
  assert.equal(told.at(-1), "lost: page_gone");
  look(true);
  look(false);
  happens("online");
  await browser.clock.advance(600_000);
  assert.equal(opened(), 1);
  assert.equal(told.at(-1), "lost: page_gone");
});

test("the page comes back at once when it is looked at or the network is back", async () => {
  const { socket } = await connected();
  for (let round = 0; round < 5; round += 1) {
    socket().end();
    await browser.clock.advance(100_000);
  }
  socket().end();
  const before = opened();
  look(true);
  assert.equal(opened(), before);
  look(false);
  assert.equal(opened(), before + 1);
  socket().end();
  happens("online");
  assert.equal(opened(), before + 2);
  await browser.clock.advance(35_000); // the pause that was cut short opens no second one
  assert.equal(opened(), before + 2);
});

test("a connection from before the network was away is not waited for", async () => {
  const { told, socket, answer } = await connected();
  answer();
  const dead = socket();
  happens("online");
  assert.deepEqual([opened(), dead.isClosedByPage, told.at(-1)], [2, true, "lost"]);
  answer();
  dead.end(); // seconds later
  dead.onmessage({ data: JSON.stringify({ type: "match", match: { version: 9, epoch: "one" } }) });
  assert.deepEqual([opened(), told.filter((one) => one.version)], [2, []]);
});

test("a connection that was silent during a sleep is replaced, and a living one is kept", async () => {
  const { socket, answer } = await connected();
  answer();
  await browser.clock.advance(20_000);
  look(false);
  assert.equal(opened(), 1);
  browser.clock.now += 300_000; // timers stood still
  look(false);
  assert.equal(opened(), 2);
  assert.equal(browser.sockets[0].url, socket().url, "the server knows the page again");
});

test("a connection that says nothing for 40 s is lost, also one that never opens", async () => {
  const { told, socket, answer } = await connected();
  answer();
  await browser.clock.advance(25_000);
  socket().say({ type: "presence", watching: 1 });
  await browser.clock.advance(39_000);
  assert.equal(opened(), 1);
  await browser.clock.advance(2_000);
  assert.deepEqual([opened(), told.at(-1), browser.sockets[0].isClosedByPage], [2, "lost", true]);
  await browser.clock.advance(42_000);
  assert.equal(opened(), 3);
});

test("a move is sent again after every lost connection until it is answered, with its number", async () => {
  const { send, socket, answer } = await connected();
  answer();
  const id = send({ type: "play", turn: 7, move: 3 });
  const sent = { type: "play", id, turn: 7, move: 3 };
  for (let round = 0; round < 3; round += 1) {
    assert.deepEqual(socket().sentOf("play"), [sent]);
    await comesBack();
    socket().accept();
    assert.equal(socket().sent[0].type, "watch");
  }
  socket().say(BUSY);
  await comesBack();
  answer();
  assert.deepEqual(socket().sentOf("play"), [sent]);
  socket().say({ type: "done", id, version: 5 });
  await comesBack();
  socket().accept();
  assert.deepEqual(socket().sentOf("play"), []);
});

test("a refused move is not sent again, and no other command ever is", async () => {
  const { send, socket, answer } = await connected();
  answer();
  const id = send({ type: "play", turn: 7, move: 3 });
  socket().say({ type: "refused", id, reason: "stale", text: "Too late." });
  for (const type of ["undo", "resign", "draw", "hint", "swap", "rematch", "answer", "rate"]) send({ type });
  await comesBack();
  socket().accept();
  assert.deepEqual(socket().sent.map((one) => one.type), ["watch"]);
});

test("two commands have two numbers", async () => {
  const { send, answer } = await connected();
  answer();
  assert.notEqual(send({ type: "hint" }), send({ type: "hint" }));
});

test("a document that does not follow its answer is asked for", async () => {
  const { send, socket, answer } = await connected();
  answer();
  const id = send({ type: "play", turn: 7, move: 3 });
  socket().say({ type: "done", id, version: 6 });
  await browser.clock.advance(1900);
  assert.equal(socket().sentOf("watch").length, 1);
  await browser.clock.advance(200);
  assert.equal(socket().sentOf("watch").length, 2);
  socket().say({ type: "match", match: { version: 6, epoch: "one" } });
  socket().say({ type: "done", id, version: 6 });
  await browser.clock.advance(3000);
  assert.equal(socket().sentOf("watch").length, 2);
});

test("a page that is left closes its connection, says nothing more and waits for nothing", async () => {
  const { told, leaving, socket, answer } = await connected();
  answer();
  told.length = 0;
  leaving.abort();
  assert.equal(socket().isClosedByPage, true);
  socket().end();
  look(false);
  happens("online");
  await browser.clock.advance(100_000);
  assert.deepEqual([told, opened(), browser.clock.timers.size], [[], 1, 0]);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, copy, load, made, openWindow, put, settled } from "./browser.mjs";

const TEXTS = made.texts;
const { open, right, failed, best, wrong, description } = made.puzzle;
const LABELS = { any: "Any", again: "Try again", solution: "Solution", next: "Next puzzle", copy: "Copy", more: "More", own: "Train", position: "Next position", game: "Game", theme: "Theme", grade: "Difficulty" };

// The page of a puzzle. change(document): before it is shown.
async function opened(change = () => {}) {
  openWindow(TEXTS);
  put("choices", { labels: LABELS, games: [["connect-four", "Connect Four"], ["othello", "Othello"]], themes: [], grades: [["1", "very easy"]], own: true });
  put("description", description);
  const first = copy(open);
  change(first);
  put("first", first);
  await load("puzzle.js");
  await settled();
  const all = (selector) => document.querySelectorAll(selector);
  return {
    pieces: () => all(".piece").length,
    answers: (path, answer) => browser.answers.set(path, copy(answer)),
    play: async (move) => { all(".cell")[move].click(); await settled(); },
    press: async (text) => {
      all("button").find((one) => one.textContent === text && !one.hidden).click();
      await settled();
    },
    choose: (at, value) => { all("select").filter((one) => !one.classList.contains("look"))[at].value = value; },
    asked: () => browser.asked.map(([path, { body }]) => [path, JSON.parse(body)]),
    lines: () => all(".puzzle p").map((one) => one.textContent),
    refusal: () => document.querySelector(".refusal").textContent,
  };
}

test("an answer names the turn at which it is given, and the reply comes a moment after it", async () => {
  const { play, asked, answers, pieces } = await opened();
  const before = pieces();
  answers("/api/puzzles/5", right);
  await play(best);
  assert.deepEqual(asked(), [["/api/puzzles/5", { turn: 0, move: best }]]);
  assert.equal(pieces(), before + 1);
  await browser.clock.advance(1000);
  assert.equal(pieces(), before + 2);
  const again = right.position.moves[0].move;
  await play(again);
  assert.deepEqual(asked()[1], ["/api/puzzles/5", { turn: right.turn, move: again }]);
  assert.ok(right.turn > 0);
});

test("the first answer of the day says which day it is for", async () => {
  const { play, asked, answers } = await opened((first) => { first.attempt = null; first.by = { day: "2026-01-01" }; });
  answers("/api/puzzles", failed);
  await play(wrong);
  assert.deepEqual(asked(), [["/api/puzzles", { day: "2026-01-01", move: wrong }]]);
});

test("the next puzzle is of the kind that was chosen", async () => {
  const { play, press, choose, asked, answers } = await opened();
  answers("/api/puzzles/5", failed);
  answers("/api/puzzles", { ...open, attempt: 6 });
  await play(wrong);
  choose(0, "othello");
  choose(2, "1");
  await press("Next puzzle");
  assert.deepEqual(asked()[1], ["/api/puzzles", { game: "othello", theme: "", grade: "1" }]);
  await play(best);
  assert.deepEqual(asked()[2][0], "/api/puzzles/6");
});

test("a position of one's own is answered where it says, and followed by the next of them", async () => {
  const { play, press, asked, answers } = await opened((first) => { first.where = "/api/mistakes/3"; });
  answers("/api/mistakes/3", { ...failed, where: "/api/mistakes/3", frames: [] });
  answers("/api/mistakes", open);
  await play(wrong);
  await press("Solution");
  await press("Next position");
  assert.deepEqual(asked(), [
    ["/api/mistakes/3", { turn: 0, move: wrong }],
    ["/api/mistakes/3", { step: "solution" }],
    ["/api/mistakes", {}],
  ]);
});

test("the positions of an older answer do not come in between", async () => {
  const { play, press, answers, pieces } = await opened();
  const before = pieces();
  answers("/api/puzzles/5", { ...failed, frames: [failed.frames[0], failed.position] });
  await play(wrong);
  assert.equal(pieces(), before + 1);
  answers("/api/puzzles/5", { ...open, attempt: 6 });
  await press("Try again");
  for (let step = 0; step < 3; step += 1) {
    assert.equal(pieces(), before);
    await browser.clock.advance(700);
  }
});

test("a refusal leaves the puzzle as it was, and a second press waits for the answer to the first", async () => {
  const { play, asked, answers, pieces, lines, refusal } = await opened();
  const [before, told] = [pieces(), lines()];
  answers("/api/puzzles/5", [409, { reason: "busy", text: "One moment." }]);
  const both = [play(best), play(wrong)];
  await Promise.all(both);
  assert.equal(asked().length, 1);
  assert.deepEqual([pieces(), lines(), refusal()], [before, told, "One moment."]);
  answers("/api/puzzles/5", right);
  await play(best);
  assert.equal(refusal(), "");
});

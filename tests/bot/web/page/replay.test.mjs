import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, copy, load, made, openWindow } from "./browser.mjs";

const TEXTS = made.texts;
const STILL = "(prefers-reduced-motion: reduce)";
const LAST = 7;

// A review as the server sends it: Ben's first move was a mistake, his second a blunder, Ada's last the best one.
const REVIEW = {
  ahead: [0.2, 0, null, 0.4, -0.6, 0.5, 0.9, 1],
  described: "Red is ahead from move 6.",
  verdicts: [
    null, { mark: "mistake", better: "4" }, { mark: "good", better: "1" }, { mark: "blunder", better: "3" },
    { mark: "forced", better: "1" }, { mark: "good", better: "2" }, { mark: "best", better: "1" },
  ],
  moments: [{ ply: 4, text: "Move 4: 2", why: "It lets Red win." }, { ply: 7, text: "Move 7: 1", why: "" }],
  lines: ["Ada: 99 %", "Ben: 40 %"],
};

// The replay of a match that Ada won in seven moves; shown: the plies whose positions were asked for.
async function opened(features = [], change = () => {}) {
  openWindow(TEXTS, features);
  const { Replay } = await load("replay.js");
  const match = copy(made.over.readers[0]);
  change(match);
  const positions = copy(made.over.replay.positions);
  const shown = [];
  const asked = []; // of the page
  const show = (position, ply) => { assert.equal(position, positions[ply]); shown.push(ply); };
  const replay = new Replay(match, positions, made.over.board.palettes.classic.pieces, { ply: show, share: () => asked.push("share") });
  document.body.append(replay.element);
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => document.querySelectorAll(selector);
  return {
    replay, shown, asked, find, all,
    says: () => find(".says").textContent,
    press: (label) => all("button").find((one) => one.getAttribute("aria-label") === label).click(),
    current: () => all(".moves button").flatMap((one, index) => (one.getAttribute("aria-current") ? [index + 1] : [])),
    judge: (change = () => {}) => { const review = copy(REVIEW); change(review); replay.judge({ type: "review", review }); },
    key: (target, key, held = {}) => target.send("keydown", { key, ...held }),
  };
}

test("a replay begins at the end and is moved by its buttons, not beyond its ends", async () => {
  const { shown, press, current, find, says } = await opened();
  assert.deepEqual(current(), [LAST]);
  press(TEXTS.page_forward);
  press(TEXTS.page_back);
  press(TEXTS.page_back);
  press(TEXTS.page_first);
  press(TEXTS.page_back);
  assert.equal(says(), TEXTS.page_beginning);
  assert.deepEqual(current(), []);
  press(TEXTS.page_forward);
  assert.equal(find("input").value, "1");
  press(TEXTS.page_end);
  assert.deepEqual(shown, [7, 6, 5, 0, 0, 1, 7]);
});

test("a replay is moved by its slider and its list of moves", async () => {
  const { shown, find, all, current, says } = await opened();
  const slider = find("input");
  slider.value = 3;
  slider.send("input");
  assert.deepEqual([shown, current()], [[3], [3]]);
  all(".moves button")[1].click();
  assert.deepEqual([shown, current(), slider.value], [[3, 2], [2], "2"]);
  assert.equal(says(), "2. Ben: column 2");
  assert.equal(slider.getAttribute("aria-valuetext"), "2. Ben: column 2");
  assert.deepEqual([slider.min, slider.max], [0, LAST]);
});

test("the move that is shown is in sight in the list", async () => {
  const { all, find } = await opened();
  const list = find(".moves");
  Object.assign(list, { clientHeight: 100, clientWidth: 40 });
  Object.assign(all(".moves li")[4], { offsetTop: 300, offsetLeft: 70 });
  all(".moves button")[4].click();
  assert.deepEqual([list.scrollTop, list.scrollLeft], [250, 50]);
});

test("arrow keys, Home and End move a replay", async () => {
  const { shown, key } = await opened();
  for (const name of ["ArrowLeft", "ArrowLeft", "ArrowRight", "Home", "ArrowRight", "End"]) assert.equal(key(document.body, name).defaultPrevented, true);
  assert.deepEqual(shown, [6, 5, 6, 0, 1, 7]);
});

test("keys of a field, of the board and of the browser move nothing", async () => {
  const { shown, key, find } = await opened();
  const board = Object.assign(document.createElement("div"), { className: "grid" });
  document.body.append(board);
  for (const target of [find("input"), board]) assert.equal(key(target, "ArrowLeft").defaultPrevented, false);
  for (const held of ["altKey", "ctrlKey", "metaKey"]) key(document.body, "ArrowLeft", { [held]: true });
  assert.equal(key(document.body, "x").defaultPrevented, false);
  assert.deepEqual(shown, []);
});

test("the moves are played from the beginning to the end, and then stand", async () => {
  const { shown, press, find } = await opened();
  const sign = () => find(".controls").children[2].querySelector("path").getAttribute("d");
  const play = sign();
  press(TEXTS.page_watch);
  assert.notEqual(sign(), play);
  assert.deepEqual(shown, [0]);
  await browser.clock.advance(2200);
  assert.deepEqual(shown, [0, 1, 2, 3]);
  await browser.clock.advance(60_000);
  assert.deepEqual(shown, [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(sign(), play);
  assert.equal(browser.clock.timers.size, 0);
});

test("a replay that plays stops at a second press and at a move by hand, and goes on from there", async () => {
  const { shown, press } = await opened();
  press(TEXTS.page_back);
  press(TEXTS.page_back);
  press(TEXTS.page_watch);
  await browser.clock.advance(800);
  press(TEXTS.page_watch);
  await browser.clock.advance(5000);
  assert.deepEqual(shown, [6, 5, 6]);
  press(TEXTS.page_back);
  press(TEXTS.page_watch);
  press(TEXTS.page_back);
  await browser.clock.advance(5000);
  assert.deepEqual(shown, [6, 5, 6, 5, 4]);
});

test("people who want no motion see each move for two seconds", async () => {
  const { shown, press } = await opened([STILL]);
  press(TEXTS.page_watch);
  await browser.clock.advance(3900);
  assert.deepEqual(shown, [0, 1]);
});

test("a review marks moves in the list, and says what was better and why", async () => {
  const { judge, all, says } = await opened();
  const signs = () => all(".moves span").filter((one) => one.getAttribute("role") === "img" && !one.hidden);
  assert.deepEqual(signs(), []);
  judge();
  assert.deepEqual(signs().map((one) => [one.textContent, one.className, one.getAttribute("aria-label")]), [
    ["?", "sign mistake", "a mistake"], ["??", "sign blunder", "a blunder"], ["★", "sign best", "best move"],
  ]);
  assert.equal(says(), "7. Ada: column 1 · best move");
  all(".moves button")[3].click();
  assert.equal(says(), "4. Ben: column 2 · a blunder · Better was 3. It lets Red win.");
  all(".moves button")[1].click();
  assert.equal(says(), "2. Ben: column 2 · a mistake · Better was 4.");
  all(".moves button")[2].click();
  assert.equal(says(), "3. Ada: column 1");
  judge((review) => { review.verdicts[1] = null; });
  assert.deepEqual(signs().map((one) => one.textContent), ["??", "★"]);
});

test("Share asks once, says who may open the address, and copies it", async () => {
  const { replay, find, asked } = await opened([], (match) => { match.viewer.may.push("share"); });
  const copied = [];
  Object.defineProperty(globalThis, "navigator", { value: { clipboard: { writeText: async (text) => { copied.push(text); } } }, configurable: true });
  const button = find(".replay .row button");
  assert.equal(button.textContent, TEXTS.page_share);
  button.click();
  assert.equal(asked.length, 1);
  await replay.tellShared({ text: "Everybody may watch: address", address: "address" });
  assert.deepEqual(copied, ["address"]);
  assert.equal(find(".replay .note").textContent, `Everybody may watch: address · ${TEXTS.page_copied}`);
  assert.equal(button.hidden, true);
});

test("who may not share sees no button for it", async () => {
  const { find } = await opened();
  assert.equal(find(".replay .row button").hidden, true);
});

test("a key moment that was no great mistake says what was better, too", async () => {
  const { judge, all, says } = await opened();
  judge((review) => { review.verdicts[3].mark = "good"; review.verdicts[1].mark = "good"; });
  all(".moves button")[3].click();
  assert.equal(says(), "4. Ben: column 2 · Better was 3. It lets Red win.");
  all(".moves button")[1].click();
  assert.equal(says(), "2. Ben: column 2", "it is no key moment");
});

test("the key moments lead to their moves", async () => {
  const { judge, all, find, shown } = await opened();
  assert.equal(find(".replay h3").hidden, true);
  judge();
  assert.equal(find(".replay h3").hidden, false);
  const moments = () => all(".moments button");
  assert.deepEqual(moments().map((one) => one.children.map((part) => part.textContent)), [["Move 4: 2", "Better was 3. It lets Red win."], ["Move 7: 1"]]);
  moments()[0].click();
  assert.deepEqual(shown, [4]);
  moments()[1].focus();
  judge();
  assert.equal(document.activeElement, moments()[1]); // the review of a longer search
  judge((review) => { review.moments = []; });
  assert.equal(find(".replay h3").hidden, true);
  assert.deepEqual(moments(), []);
});

test("the plot has a bar for each position, up for the first side and down for the second", async () => {
  const { judge, all, find, shown } = await opened();
  judge();
  const [red, yellow] = made.over.board.palettes.classic.pieces.map((piece) => piece.fill);
  const bars = all(".plot rect").filter((one) => one.getAttribute("fill"));
  assert.deepEqual(bars.map((one) => ["x", "y", "height", "fill"].map((name) => one.getAttribute(name))), [
    ["0", "-0.2", "0.2", red], ["3", "-0.4", "0.4", red], ["4", "0", "0.6", yellow],
    ["5", "-0.5", "0.5", red], ["6", "-0.9", "0.9", red], ["7", "-1", "1", red],
  ]);
  assert.deepEqual(all(".plot .moment").map((one) => one.getAttribute("d")), ["M4.5 -1V1", "M7.5 -1V1"]);
  assert.equal(find(".plot").getAttribute("aria-label"), REVIEW.described);
  assert.equal(find(".cursor").getAttribute("x"), "7");
  browser.cellSize = 80; // pixels: ten for each position
  find(".plot").send("pointerdown", { clientX: 39, pointerId: 1 });
  find(".plot").send("pointermove", { clientX: 41, buttons: 1 });
  find(".plot").send("pointermove", { clientX: 60, buttons: 0 });
  assert.deepEqual(shown, [3, 4]);
  assert.equal(find(".cursor").getAttribute("x"), "4");
});

test("a review that knows no evaluation has no plot, and a refusal says why", async () => {
  const { judge, replay, find, all } = await opened();
  judge();
  assert.deepEqual(all(".lines p").map((one) => one.textContent), REVIEW.lines);
  judge((review) => { review.ahead = review.ahead.map(() => null); });
  assert.equal(find(".plot"), null);
  replay.judge({ type: "review", review: null, text: "No agent knows this game." });
  assert.deepEqual(all(".lines p").map((one) => one.textContent), ["No agent knows this game."]);
  assert.equal(find(".replay h3").hidden, true);
});

test("each move in the list has the piece that it put, where it put one", async () => {
  const { all } = await opened([], (match) => { match.moves[2].disc = null; delete match.moves[6].label; });
  const fills = all(".moves button").map((one) => one.querySelector(".chip circle")?.getAttribute("fill"));
  const [red, yellow] = made.over.board.palettes.classic.pieces.map((piece) => piece.fill);
  assert.deepEqual(fills, [red, yellow, undefined, yellow, red, yellow, red]);
  assert.deepEqual(all(".moves b").map((one) => one.textContent), ["1", "2", "1", "2", "1", "2", "1"]);
});

test("a move without a longer name is said by its short one", async () => {
  const { says } = await opened([], (match) => { delete match.moves[6].label; });
  assert.equal(says(), "7. Ada: 1");
});

test("a chip has the shape and the letter of its piece", async () => {
  openWindow(TEXTS);
  const { chip } = await load("replay.js");
  const drawn = (piece) => chip({ fill: "#ffffff", ...piece }).children.map((one) => [one.tagName, one.getAttribute("d") ?? one.textContent]);
  assert.deepEqual(drawn({ shape: "disc" }), [["circle", ""]]);
  assert.deepEqual(drawn({ shape: "disc", letter: "W" }), [["circle", ""], ["text", "W"]]);
  assert.deepEqual(drawn({ shape: "diamond" }).map(([tag, d]) => [tag, d.endsWith("z")]), [["path", true]]);
  assert.deepEqual(drawn({ shape: "cross", letter: "X" }).map(([tag, d]) => [tag, d.endsWith("z")]), [["path", false]]);
  assert.deepEqual(drawn({ shape: "ring", letter: "O" }), [["circle", ""]]);
});

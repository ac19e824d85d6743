// The search of Egaroucid's web page as a program for `bench.programs`; its --think is the page's level.
// node bench/egaroucid_web.cjs FOLDER: FOLDER holds the page's ai.js and ai.wasm.
const { readFileSync } = require("fs");
const { join } = require("path");
const { createInterface } = require("readline");
const { runInThisContext } = require("vm");

const [folder] = process.argv.slice(2);
const SIDES = { "*": 0, O: 1, "-": -1 };

function listen() {
  const { _malloc, _init_ai, _ai_js } = globalThis.Module;
  const cells = _malloc(4 * 64);
  _init_ai(cells);
  let level, side;
  createInterface({ input: process.stdin }).on("line", (line) => {
    const depth = /^set depth (\d+)/.exec(line);
    const board = /BO\[8 ([-*O]{64}) ([*O])\]/.exec(line);
    if (depth) level = Number(depth[1]);
    if (line.startsWith("ping ")) process.stdout.write(`pong ${line.slice(5)}\n`);
    if (board) {
      globalThis.Module.HEAP32.set([...board[1]].map((mark) => SIDES[mark]), cells / 4);
      side = SIDES[board[2]];
    }
    if (line === "go") {
      const square = Math.floor(_ai_js(cells, level, side) / 1000);
      process.stdout.write(`=== ${"abcdefgh"[square % 8]}${Math.floor(square / 8) + 1}\n`);
    }
  });
}

globalThis.require = require;
globalThis.__dirname = folder;
globalThis.Module = {
  print() {},
  printErr() {},
  wasmBinary: readFileSync(join(folder, "ai.wasm")),
  onRuntimeInitialized: listen,
};
runInThisContext(readFileSync(join(folder, "ai.js"), "utf8"));

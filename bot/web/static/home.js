// The home: a board that waits for the first touch, which begins a match, and the games below it.

import { ask, found, made, refused, say, stored } from "./data.js";
import { open } from "./match.js";
import { Opponents } from "./opponents.js";
import { ownGame, ownMatches, tiles } from "./tiles.js";

const { tiles: games, running, review } = found("home");
let level = new URLSearchParams(location.search).get("level"); // where a way here names one
const named = new URLSearchParams(location.search).get("game");
let leave = null;

function show(draft, description, refusal = {}) {
  leave?.();
  const agent = draft.seats[1 - draft.viewer.seat];
  const start = {
    refusal: refusal.text ? refusal : { text: draft.start.refusal ?? "" },
    redraw: () => {},
    // An open page is told when a move leaves a trained opening, so there it opens before the first one.
    begin: async (move) => {
      const asked = opponents.asked();
      const isLater = Boolean(asked.position);
      const answer = await ask("/api/matches", "POST", isLater ? asked : { ...asked, move });
      return isLater ? { ...answer, move } : answer;
    },
  };
  const opponents = new Opponents(draft, {
    chosen: (chosen) => {
      level = chosen.key;
      Object.assign(agent, { name: chosen.name, character: chosen.character });
      start.redraw();
    },
    asked: async (asked) => {
      const refusal = await load({ game: draft.game.key, level, ...asked });
      opponents.refusal.replaceChildren(...refused(refusal ?? {}));
    },
  });
  start.element = opponents.element;
  leave = open(draft, description, start);
  document.getElementById("page").append(...below(draft.game.key));
}

// Show another game, board or opening; returns what says why not.
async function load(asked) {
  const draft = await ask(`/api/start?${new URLSearchParams(asked)}`);
  const description = draft.ok && await ask(draft.game.description);
  if (!description?.ok) return draft.ok ? description : draft;
  show(draft, description);
  return null;
}

function below(current) {
  const turns = new Map(running.filter((match) => match.yours).map((match) => [match.game, match.href]));
  return [ownMatches(running), tiles(games, say("page_games"), current, (key) => `/?game=${key}`, turns), ownGame(review)].filter(Boolean);
}

// The game of the last time, on its board, unless the address names another. Only what it names is refused aloud.
async function begin() {
  const [first, board] = [found("first"), found("description")];
  const game = named ?? stored("game", first.game.key);
  const wished = { game, board: stored(`board ${game}`, ""), level: level ?? "" };
  const isHere = game === first.game.key;
  const isShown = isHere && [first.game.board, ""].includes(wished.board);
  const refusal = isShown ? {} : await load(wished);
  if (refusal) show(first, board, named === null || isHere ? {} : refusal);
}

addEventListener("popstate", () => location.reload()); // the first move gave the page its match's address
begin();

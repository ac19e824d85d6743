// Inside Discord: sign in with the client's code, then show a match, the channel's room or the form for a game, one after another.

import { ask, enter, found, made, say } from "./data.js";
import { authorized } from "./discord.js";

const page = document.getElementById("page");
const tell = (text) => page.replaceChildren(made("h1", { className: "gone", textContent: text }));
let leave = null; // ends the page that is shown
let asked = 0; // how many pages were asked for: only the last one is shown

async function show(to) {
  const number = (asked += 1);
  const key = to.replace(/^\/(m\/)?/, "");
  let first = key ? await ask(key === "review" ? "/api/games" : `/api/matches/${key}`) : null;
  if (!first?.ok) first = await ask("/api/room");
  const board = first.match ? await ask(first.game.description) : null;
  const { open } = await (first.match ? import("./match.js") : first.fields ? import("./review.js") : import("./start.js"));
  if (number !== asked) return;
  leave?.();
  leave = null;
  for (const answer of [first, board]) if (answer && !answer.ok) return tell(answer.text);
  document.body.dataset.page = first.match ? "match" : first.fields ? "review" : "start";
  leave = open(first, board);
  scrollTo(0, 0);
}

async function begin() {
  const entered = await ask("/api/activity", "POST", await authorized(found("first").application));
  if (!entered.ok) return tell(entered.text);
  enter(entered, show);
  return show(entered.match ?? "");
}

tell(say("page_opening"));
begin().catch(() => tell(say("page_activity_refused")));

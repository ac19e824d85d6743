// Inside Discord: sign in with the client's code, then show a match or the channel's room, one after another.

import { enter, found, made, post, read, say } from "./data.js";
import { authorized } from "./discord.js";

const page = document.getElementById("page");
const tell = (text) => page.replaceChildren(made("h1", { className: "gone", textContent: text }));
let leave = null; // ends the page that is shown
let asked = 0; // how many pages were asked for: only the last one is shown

async function show(to) {
  const number = (asked += 1);
  const key = to.replace(/^\/(m\/)?/, "");
  let answer = key ? await read(`/api/matches/${key}`) : null;
  if (!answer?.ok) answer = await read("/api/room");
  const first = await answer.json();
  const isMatch = Boolean(first.match);
  const board = isMatch ? await (await read(first.game.description)).json() : null;
  const { open } = await (isMatch ? import("./match.js") : import("./start.js"));
  if (number !== asked) return;
  leave?.();
  leave = null;
  if (!answer.ok) return tell(first.text);
  document.body.dataset.page = isMatch ? "match" : "start";
  leave = open(first, board);
  scrollTo(0, 0);
}

async function begin() {
  const entered = await post("/api/activity", await authorized(found("first").application));
  if (!entered.ok) return tell(entered.text);
  enter(entered, show);
  return show(entered.match ?? "");
}

tell(say("page_opening"));
begin().catch(() => tell(say("page_activity_refused")));

// Inside Discord: sign in with the client's code, then show a match or the channel's room.

import { enter, found, made, post, read, say } from "./data.js";
import { authorized } from "./discord.js";

const page = document.getElementById("page");
const tell = (text) => page.replaceChildren(made("h1", { className: "gone", textContent: text }));

function embed(id, document_) {
  document.getElementById(id)?.remove();
  document.body.append(made("script", { type: "application/json", id, textContent: JSON.stringify(document_) }));
}

async function open() {
  const entered = await post("/api/activity", await authorized(found("first").application));
  if (!entered.ok) return tell(entered.text);
  enter(entered);
  const match = new URLSearchParams(location.search).get("match") ?? entered.match;
  let answer = match ? await read(`/api/matches/${match}`) : null;
  if (!answer?.ok) answer = await read("/api/room");
  const first = await answer.json();
  if (!answer.ok) return tell(first.text);
  embed("first", first);
  document.body.dataset.page = first.room ? "start" : "match";
  if (first.room) return import("./start.js");
  embed("board", await (await read(first.game.description)).json());
  return import("./match.js");
}

tell(say("page_opening"));
open().catch(() => tell(say("page_activity_refused")));

// A personal link: a press exchanges it for a session. Nothing happens before, so that previews use no link up.

import { ask, attributed, made, say } from "./data.js";

const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname); // so that the link stays in no history
const refusal = attributed(made("p", { className: "refusal" }), { role: "alert" });
const play = made("button", { type: "button", className: "main", textContent: say("page_play") });
play.onclick = async () => {
  play.disabled = true;
  const answer = await ask("/api/session", "POST", { token });
  if (answer.ok) return location.replace(answer.to);
  refusal.textContent = answer.text;
  play.disabled = false;
  return undefined;
};
const page = document.getElementById("page");
page.replaceChildren(made("section", { className: "card" }, made("h1", { textContent: say("page_play_as") }), play, refusal));
play.focus();

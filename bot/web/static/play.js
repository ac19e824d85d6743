// A personal link: a press exchanges it for a session. Nothing happens before, so that previews use no link up.

import { attributed, made, post, say } from "./data.js";

const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname); // so that the link stays in no history
const refusal = attributed(made("p", { className: "refusal" }), { role: "alert" });
const play = made("button", { type: "button", className: "main", textContent: say("page_play") });
play.onclick = async () => {
  play.disabled = true;
  try {
    const answer = await post("/api/session", { token });
    if (answer.ok) return location.replace(answer.to);
    refusal.textContent = answer.text;
  } catch {
    refusal.textContent = say("page_lost");
    play.disabled = false;
  }
  return undefined;
};
const page = document.getElementById("page");
page.replaceChildren(made("section", { className: "card" }, made("h1", { textContent: say("page_play_as") }), play, refusal));
play.focus();

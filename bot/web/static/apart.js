// Moves that stand on no cell, as buttons: a pass, or those that the game offers apart.

import { attributed, made, say } from "./data.js";

// button(text, press, className) makes one; play(move) is what a press does.
export function apart(position, button, play) {
  const found = new Map();
  for (const move of position.moves ?? []) {
    if (move.press?.length !== 0) continue;
    const key = move.group ?? "";
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(move);
  }
  return [...found].map(([key, list]) => {
    const press = (move) => () => play(move);
    const heading = position.groups?.[key];
    // A move that has no other name than its group's is called by the heading.
    if (heading && list[0].label === key) return made("div", { className: "group row" }, button(heading.replace(/\s*:$/, ""), press(list[0].move), "main"));
    const row = list.map((one) => {
      const choice = button(key ? one.label ?? one.name : say("page_pass"), press(one.move), list.length < 2 ? "main" : "");
      return heading ? attributed(choice, { "aria-label": `${heading} ${one.label ?? one.name}` }) : choice;
    });
    return made("div", { className: "group" }, heading ? made("p", { textContent: heading }) : null, made("div", { className: "row" }, ...row));
  });
}

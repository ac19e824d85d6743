// The rules of a game, with its picture.

import { found, made, say } from "./data.js";
import { tiles } from "./tiles.js";

const { key, title, rules, picture, described, tiles: games, can_play: canPlay } = found("first");
const text = made("div", {}, made("h1", { textContent: title }), made("p", { textContent: rules }));
text.append(made("p", { className: "about", textContent: say("page_keyboard") }));
if (canPlay) text.append(made("a", { className: "button main", href: `/?game=${key}`, textContent: say("page_play") }));
document.getElementById("page").replaceChildren(
  made("section", { className: "rules" }, made("img", { src: picture, alt: described }), text),
  tiles(games, say("page_rules"), key, (other) => `/rules/${other}`),
);

// The games in pictures, each a way to its board or its rules.

import { attributed, made, say, stored, way } from "./data.js";

// The reader's matches, as links; those that wait for a move say so.
export function ownMatches(matches) {
  if (!matches.length) return null;
  const links = matches.map(({ href, title, yours }) => made("a", { href }, made("span", { textContent: title }), yours ? made("strong", { className: "turn", textContent: say("page_your_turn") }) : null));
  return attributed(made("nav", { className: "running" }, made("h2", { textContent: say("page_running") }), ...links), { "aria-label": say("page_running") });
}

// The way to the review of a game from elsewhere, for readers who may bring one.
export function ownGame(mayReview) {
  return mayReview ? made("p", { className: "own-game" }, way("/review", say("page_import"), "button")) : null;
}

// games: key, title, deed and picture of each, and the words of its levels. current: the key of the one that is shown.
// toGame(key): where a tile leads. turns: by game, the way to a match that waits for the reader. choose(key): takes
// the place of the ways inside Discord, whose frame keeps its address.
export function tiles(games, title, current, toGame, turns = new Map(), choose = null) {
  const items = games.map(({ key, title: name, deed, picture, ground, strengths, href = toGame(key) }) => {
    const art = made("img", { src: picture, alt: "", loading: "lazy", width: 280, height: 210 });
    art.style.background = ground;
    const strength = strengths?.[stored(`level ${key}`, "")] ?? "";
    const state = turns.has(key) ? made("strong", { className: "turn", textContent: say("page_your_turn") }) : made("strong", { textContent: strength });
    const below = made("span", {}, made("span", { className: "about", textContent: deed }), " ", state);
    const tile = made("a", { className: "tile", href: turns.get(key) ?? href }, art, made("b", { textContent: name }), below);
    if (choose) tile.onclick = (event) => { event.preventDefault(); choose(key); };
    return made("li", {}, key === current ? attributed(tile, { "aria-current": "page" }) : tile);
  });
  return attributed(made("section", { className: "games", id: "games" }, made("h2", { textContent: title }), made("ul", { className: "tiles" }, ...items)), { "aria-label": title });
}

// The home of a public address where one plays in Discord alone.

import { found, made, say } from "./data.js";
import { ownGame, ownMatches, tiles } from "./tiles.js";

const { invite, tiles: games, running = [], review } = found("first");
const way = invite && made("a", { className: "button main", href: invite, textContent: say("page_play_in_discord") });
document.getElementById("page").replaceChildren(
  made("section", { className: "hero" }, made("h1", { textContent: say("page_games_in_discord") }), made("p", { textContent: say("page_what_there_is") }), way, made("p", { className: "about", textContent: say("page_shared_boards") })),
  ...[ownMatches(running), ownGame(review)].filter(Boolean),
  tiles(games, say("page_rules"), "", (game) => `/rules/${game}`),
);

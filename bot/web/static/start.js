// The start page: games and levels.

import { found, made, post } from "./data.js";

const start = found("first");
const page = document.getElementById("page");

page.replaceChildren(...start.games.map((game) => made("section", {},
  made("h2", { textContent: game.title }),
  ...game.levels.map((level) => made("button", {
    textContent: level.name,
    onclick: async () => {
      const answer = await post("/api/matches", { game: game.key, level: level.key });
      if (answer.ok) location.assign(answer.to);
    },
  })))));

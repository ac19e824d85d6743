// The room of a channel inside Discord: its matches and open seats, and the games in pictures, each with its choices.

import { ask, attributed, go, made, refused, say, store, stored } from "./data.js";
import { ownGame, tiles } from "./tiles.js";

function choice(label, options, chosen) {
  const select = made("select", {}, ...options.map(([value, text]) => made("option", { value, textContent: text, selected: value === chosen })));
  return [select, made("label", {}, made("span", { textContent: label }), select)];
}

function list(title, entries) {
  return entries.length ? [attributed(made("nav", { className: "running" }, made("h2", { textContent: title }), ...entries), { "aria-label": title })] : [];
}

export function open(start) {
  const page = document.getElementById("page");
  const refusal = attributed(made("p", { className: "refusal" }), { role: "alert" });

  // Ask for a match and go to it; the pressed button can be pressed again only if there is none.
  async function begin(button, path, body) {
    button.disabled = true;
    const answer = await ask(path, "POST", body);
    if (answer.ok) return go(answer.to);
    button.after(refusal); // beside the button, which may be far from the top
    refusal.replaceChildren(...refused(answer));
    button.disabled = false;
    return undefined;
  }

  function card(game) {
    const board = stored(`board ${game.key}`, game.boards[0].key);
    const [boards, boardLabel] = choice(say("page_board"), game.boards.map((one) => [one.key, one.title]), board);
    const [levels, levelLabel] = choice(say("page_level"), [], "");
    const openings = made("datalist", { id: `openings ${game.key}` }, ...game.openings.map((one) => made("option", { value: one.name, label: one.title })));
    const opening = attributed(made("input", { placeholder: say("page_name_or_moves"), autocomplete: "off" }), { list: openings.id });
    const openingLabel = made("label", {}, made("span", { textContent: say("page_opening_played") }), opening, openings);
    const about = made("p", { className: "about" });
    const fill = () => {
      const fitting = game.levels.filter((level) => !level.boards?.length || level.boards.includes(boards.value));
      const kept = levels.value || stored(`level ${game.key}`, game.usual);
      // An algorithm that was chosen elsewhere may not be offered here.
      const before = [...fitting, ...game.algorithms.levels].some((level) => level.key === kept) ? kept : game.usual;
      const options = (offered) => offered.map((level) => made("option", { value: level.key, textContent: level.name, selected: level.key === before }));
      const last = made("optgroup", { label: game.algorithms.title, hidden: !game.algorithms.levels.length }, ...options(game.algorithms.levels));
      levels.replaceChildren(...options(fitting), last);
      openingLabel.hidden = !game.openings.length || boards.value !== game.boards[0].key;
      tell();
    };
    const tell = () => { about.textContent = [...game.levels, ...game.algorithms.levels].find((level) => level.key === levels.value)?.character ?? ""; };
    boards.onchange = fill;
    levels.onchange = tell;
    fill();
    const play = attributed(made("button", { type: "button", className: "main", textContent: say("page_play") }), { "aria-label": `${say("page_play")}: ${game.title}` });
    play.onclick = () => {
      store("game", game.key);
      store(`level ${game.key}`, levels.value);
      store(`board ${game.key}`, boards.value);
      return begin(play, "/api/matches", { game: game.key, board: boards.value, level: levels.value, first: "me", position: openingLabel.hidden ? null : opening.value.trim() });
    };
    const choices = made("div", { className: "choices" }, levelLabel, game.boards.length > 1 ? boardLabel : null, openingLabel);
    return made("section", { className: "card" }, made("h2", { textContent: game.title }), choices, about, play);
  }

  function running(match) {
    return made("button", { type: "button", textContent: match.title, onclick: () => go(match.href) });
  }

  function seat(open) {
    const sit = attributed(made("button", { type: "button", className: "main", textContent: open.title }), { "aria-label": `${say("page_accept")}: ${open.title}` });
    sit.onclick = () => begin(sit, `/api/seats/${open.id}`, {});
    return sit;
  }

  // The choices of one game, with the tiles of all below. They are drawn anew for another one.
  function chosen(key) {
    const game = start.games.find((one) => one.key === key) ?? start.games[0];
    const choose = (other) => {
      const next = chosen(other);
      shown.replaceWith(next);
      next.scrollIntoView({ block: "start" });
      next.querySelector(".main").focus({ preventScroll: true }); // the pressed tile is gone
    };
    const shown = made("div", { className: "chosen" }, card(game), tiles(start.tiles, say("page_games"), game.key, (one) => `/?game=${one}`, new Map(), choose));
    return shown;
  }

  page.replaceChildren(
    made("header", { className: "top" }, made("h1", { textContent: say("page_choose") })),
    ...list(say("page_seats"), start.seats.map(seat)),
    ...list(say("page_room"), start.running.slice(0, 50).map(running)),
    chosen(stored("game", "")),
    ownGame(true),
  );
}

// The start page: a press begins a match.

import { attributed, found, go, made, post, say, store, stored } from "./data.js";

const start = found("first");
const page = document.getElementById("page");
const refusal = attributed(made("p", { className: "refusal" }), { role: "alert" });

function choice(label, options, chosen) {
  const select = made("select", {}, ...options.map(([value, text]) => made("option", { value, textContent: text, selected: value === chosen })));
  return [select, made("label", {}, made("span", { textContent: label }), select)];
}

function card(game) {
  const board = stored(`board ${game.key}`, game.boards[0].key);
  const [boards, boardLabel] = choice(say("page_board"), game.boards.map((one) => [one.key, one.title]), board);
  const [levels, levelLabel] = choice(say("page_level"), [], "");
  const about = made("p", { className: "about" });
  const fill = () => {
    const fitting = game.levels.filter((level) => !level.boards?.length || level.boards.includes(boards.value));
    const usual = fitting[Math.min(2, fitting.length - 1)]?.key;
    const before = levels.value || stored(`level ${game.key}`, usual);
    levels.replaceChildren(...fitting.map((level) => made("option", { value: level.key, textContent: level.name, selected: level.key === before })));
    tell();
  };
  const tell = () => { about.textContent = game.levels.find((level) => level.key === levels.value)?.character ?? ""; };
  boards.onchange = fill;
  levels.onchange = tell;
  fill();
  const play = attributed(made("button", { type: "button", className: "main", textContent: say("page_play") }), { "aria-label": `${say("page_play")}: ${game.title}` });
  play.onclick = async () => {
    play.disabled = true;
    store(`level ${game.key}`, levels.value);
    store(`board ${game.key}`, boards.value);
    store("coach", coach?.checked ? "yes" : "");
    try {
      const answer = await post("/api/matches", { game: game.key, board: boards.value, level: levels.value, first: "me", coach: coach?.checked ?? false });
      if (answer.ok) return go(answer.to);
      refusal.textContent = answer.text;
    } catch {
      refusal.textContent = say("page_lost");
    }
    play.disabled = false;
    return undefined;
  };
  const choices = made("div", { className: "choices" }, levelLabel, game.boards.length > 1 ? boardLabel : null);
  return made("section", { className: "card" }, made("h2", { textContent: game.title }), choices, about, play);
}

const coach = start.coach ? made("input", { type: "checkbox", checked: stored("coach", "") === "yes" }) : null;

function running(match) {
  if (!start.room) return made("a", { href: match.href, textContent: match.title });
  return made("button", { type: "button", textContent: match.title, onclick: () => go(match.href) });
}

function seat(open) {
  const sit = async () => {
    const answer = await post(`/api/seats/${open.id}`, {});
    if (answer.ok) return go(answer.to);
    refusal.textContent = answer.text;
    return undefined;
  };
  return attributed(made("button", { type: "button", className: "main", textContent: open.title, onclick: sit }), { "aria-label": `${say("page_accept")}: ${open.title}` });
}

function list(title, entries) {
  return entries.length ? [attributed(made("nav", { className: "running" }, made("h2", { textContent: title }), ...entries), { "aria-label": title })] : [];
}

page.replaceChildren(
  made("header", { className: "top" }, made("h1", { textContent: say("page_choose") })),
  refusal,
  ...(coach ? [made("label", { className: "coached" }, coach, start.coach)] : []),
  ...list(say("page_seats"), (start.seats ?? []).map(seat)),
  ...list(say(start.room ? "page_room" : "page_running"), (start.running ?? []).slice(0, start.room ? 50 : 3).map(running)),
  made("div", { className: "cards" }, ...start.games.map(card)),
);
addEventListener("pageshow", () => page.querySelectorAll("button").forEach((button) => { button.disabled = false; }));

// The page of a match: watched, played, and looked through again once it is over.

import { apart } from "./apart.js";
import { Board } from "./board.js";
import { ask, attributed, found, go, made, refused, say, toRoom } from "./data.js";
import { connect } from "./live.js";
import { chosenLook, lookChooser, piecesOf } from "./looks.js";
import { Replay, chip } from "./replay.js";

const FORMAT = 1;
const REPLAY_AGAIN_MS = 5000;

// Show a match on its board; returns a function that leaves it, with its connection, listeners and timers.
// start: for a match that is not begun, its choices (element), begin(move), which asks the server for both, and
// the refusal of what was asked for instead, if one is to be told.
export function open(match, description, start = null) {
  const leaving = new AbortController();
  const { signal } = leaving;
  let isConnected = start !== null;
  let sent = null; // the command under way
  let hint = null;
  let question = null; // whether the next match is to be rated, or what was answered
  let advice = null; // the coach's message about a trained opening
  let better = null; // the better move, once it was asked for while an answer is held
  let replay = null;
  let review = null; // the newest message about it
  let presence = null;
  let heardAt = performance.now();
  let look = chosenLook();

  const bottom = match.viewer.seat ?? description.near ?? 0;
  const page = document.getElementById("page");
  const board = new Board(description, match.seats.map((seat) => seat.name), bottom, {
    play: (move) => command({ type: "play", move }),
    aim: (move, name) => drawAim(move, name),
  }, signal);

  // The parts of the page

  const banner = attributed(made("p", { className: "banner", hidden: true }), { role: "alert" });
  const title = made("h1");
  const terms = made("p", { className: "terms" });
  const watchers = made("p", { className: "watchers" });
  const chooser = lookChooser((chosen) => {
    look = chosen;
    board.dress(look);
    draw();
    if (!replay) return;
    leaveReplay();
    show();
  });
  const signOut = found("session") && made("button", { type: "button", className: "quiet", textContent: say("page_sign_out") });
  if (signOut) signOut.onclick = async () => {
    const answer = await ask("/api/session", "DELETE");
    if (!answer.ok) {
      refusal.textContent = answer.text;
      return;
    }
    leave();
    page.replaceChildren(made("h1", { className: "gone", textContent: say("page_signed_out") }));
  };
  const seats = [0, 1].map(() => made("div", { className: "seat" }));
  const status = made("h2", { className: "status" });
  const last = made("p", { className: "last" });
  const note = made("p", { className: "note" });
  const refusal = attributed(made("p", { className: "refusal" }), { role: "alert" });
  const told = attributed(made("p", { className: "told" }), { role: "status" });
  const aim = made("div", { className: "aim" });
  const actions = made("div", { className: "actions" });
  const coached = attributed(made("p"), { "aria-live": "polite" });
  const choices = made("div", { className: "row" });
  const coachNote = made("p", { className: "note" });
  const coach = made("div", { className: "coach" }, coached, choices, coachNote);
  const moves = made("ol", { className: "moves", tabIndex: 0 }); // it scrolls, by keyboard too
  moves.setAttribute("aria-label", say("page_moves"));
  const panel = made("aside", { className: "panel" }, status, last, note, refusal, aim, actions, start?.element ?? null, coach, moves, toRoom(), signOut);

  page.replaceChildren(
    banner,
    made("header", { className: "top" }, made("div", {}, title, terms), watchers, chooser),
    made("div", { className: "table" }, seats[1 - bottom], board.element, seats[bottom], panel),
    told,
  );
  seats[bottom].classList.add("own");

  // Commands

  const goLive = () => connect(match, {
    open: () => {
      setConnected(true);
      const move = firstMove;
      firstMove = null;
      if (move !== null) command({ type: "play", move });
    },
    lost: (bye) => setConnected(false, bye),
    document: (newer) => {
      if (newer.format > FORMAT) return location.reload();
      const isNewTurn = newer.turn !== match.turn;
      if (newer.epoch !== match.epoch) advice = question = null;
      if (isNewTurn) advice = null;
      if (isNewTurn || newer.result) hint = better = null; // giving up ends a match in the same turn
      match = newer;
      heardAt = performance.now();
      settle();
      refusal.textContent = "";
      draw();
      return show();
    },
    message: (message, shown) => {
      if (message.type === "presence") presence = message;
      else if (message.type === "coach") advice = message;
      else if (message.type === "ready") {
        if (message.turn === match.turn) match = { ...match, status: message.status, waits: message.waits };
      }
      else if (message.type === "better" && message.turn === match.turn) {
        better = message;
        show();
      }
      else if (message.type === "rate") question = message;
      else if (message.type === "shared") replay?.tellShared(message);
      else if (message.type === "review") {
        review = message;
        return replay?.judge(review);
      }
      else if (message.type === "moved") return go(message.to);
      else if (message.type === "hint" && message.turn === match.turn && !match.result) {
        hint = message;
        settle();
        show();
      } else if (message.type === "refused") {
        settle();
        refusal.replaceChildren(...refused(message));
        board.show(match.position);
      } else if (message.type === "done" && message.version <= shown) settle();
      return draw();
    },
  }, signal);
  let firstMove = null; // of a match that began without it
  let live = start ? null : goLive();

  // The first touch begins the match and makes the move. The page gets the match's address without loading again.
  async function begin(move) {
    const answer = await start.begin(move);
    if (!answer.ok) {
      settle();
      refusal.replaceChildren(...refused(answer));
      board.show(match.position);
      return refusal.scrollIntoView({ block: "nearest" });
    }
    start.element.remove();
    start = null;
    isConnected = false;
    match = answer.first;
    heardAt = performance.now();
    history.pushState(null, "", answer.to);
    firstMove = answer.move ?? null;
    settle();
    board.names = match.seats.map((seat) => seat.name);
    live = goLive();
    draw();
    return show();
  }

  function command(message) {
    if (sent || !isConnected) return;
    refusal.textContent = "";
    sent = message;
    if (start) {
      board.lock(true);
      begin(message.move);
      return;
    }
    board.lock(true);
    live({ turn: match.turn, ...message });
    page.classList.add("sending");
  }

  function settle() {
    sent = null;
    page.classList.remove("sending");
    board.lock(!isConnected);
  }

  // bye: the server's last word, if it said one; a final one is the end.
  function setConnected(isNow, bye = null) {
    const told = [bye?.text, !bye?.final && say(bye?.text ? "page_again" : "page_lost")].filter(Boolean).join(" ");
    if (!isNow && banner.textContent !== told) banner.textContent = told; // it is read aloud once
    if (isNow === isConnected && banner.hidden === isNow && !bye?.final) return;
    isConnected = isNow;
    banner.hidden = isNow;
    if (!isNow && (sent?.type !== "play" || bye?.final)) sent = null; // a move is sent again
    page.classList.toggle("sending", sent !== null);
    board.lock(!isNow || sent !== null);
    page.classList.toggle("lost", !isNow);
    draw();
  }

  // Drawing

  const pieces = () => piecesOf(description, look);

  function show() {
    if (match.result && match.moves.length) startReplay();
    else leaveReplay();
    if (!replay) board.show(match.position, hint?.at ?? better?.at, match.coach && { threat: match.coach.at, seat: match.viewer.seat });
    told.textContent = [match.last, match.status.text].filter(Boolean).join(" ");
  }

  function draw() {
    title.textContent = match.game.title;
    terms.textContent = match.terms.text;
    watchers.textContent = presence?.watching ? say("page_watching", { count: presence.watching }) : "";
    document.title = `${match.status.kind === "yours" ? "● " : ""}${match.title}`;
    match.seats.forEach((seat, index) => drawSeat(seats[index], seat, index));
    const isAgain = match.moves.at(-1)?.seat === match.viewer.seat;
    if (start) status.textContent = say(match.moves.length ? "page_touch" : "page_you_begin");
    else status.textContent = match.status.kind === "yours" ? say(isAgain ? "page_your_turn_again" : "page_your_turn") : match.status.text;
    status.className = `status ${match.status.kind}`;
    if (match.status.seat !== null) status.prepend(chip(pieces()[match.status.seat]));
    last.textContent = match.last ?? (start ? match.start.rules : "");
    note.textContent = match.note ?? "";
    drawCoach();
    drawActions();
    moves.hidden = replay !== null;
    moves.replaceChildren(...match.moves.map((move) =>
      made("li", {}, made("span", { className: "number", textContent: move.n }), ...(move.disc === null ? [] : [chip(pieces()[move.disc])]), made("b", { textContent: move.name }))));
    moves.scrollLeft = document.dir === "rtl" ? -moves.scrollWidth : moves.scrollWidth;
    moves.scrollTop = moves.scrollHeight;
  }

  function drawCoach() {
    const held = match.coach;
    const said = held ? [held.text, better?.text].filter(Boolean).join(" ") : hint?.text ?? advice?.text ?? match.waits ?? "";
    if (coached.textContent !== said) coached.textContent = said; // it is read aloud once
    coach.hidden = !said;
    coach.classList.toggle("held", Boolean(held));
    coachNote.textContent = held?.note ?? "";
    const offered = held ? [...better?.choices ?? [], ...held.choices].filter((one) => !better || one.choice !== "better") : [];
    const focused = [...choices.children].indexOf(document.activeElement);
    choices.replaceChildren(...offered.map(({ choice, text }, at) => button(text, () => command({ type: "coach", choice }), at ? "" : "main")));
    if (focused >= 0) choices.children[focused]?.focus();
  }

  function drawSeat(element, seat, index) {
    const rating = match.result?.ratings?.[index] ?? seat.rating ?? "";
    const name = made("span", { className: "name" }, made("bdi", { textContent: seat.name }));
    const about = made("span", { className: "about" }, made("bdi", { textContent: rating }), rating && seat.character ? " · " : "", seat.character ?? "");
    const parts = [chip(pieces()[index]), made("div", { className: "who" }, name, about)];
    if (seat.score !== undefined) parts.push(made("span", { className: "score", textContent: seat.score }));
    if (match.clock && match.clock.left[index] !== null) {
      parts.push(attributed(made("span", { className: "clock" }), { role: "timer", "data-seat": index }));
    }
    element.replaceChildren(...parts);
    element.classList.toggle("moving", !match.result && match.status.seat === index);
    element.classList.toggle("winner", match.result?.winner === index);
    tick();
  }

  function tick() {
    for (const element of document.querySelectorAll(".clock")) {
      const index = Number(element.dataset.seat);
      const runs = match.clock?.running === index && !match.result;
      const left = Math.max(0, (match.clock?.left[index] ?? 0) - (runs ? (performance.now() - heardAt) / 1000 : 0));
      element.textContent = written(left);
      element.classList.toggle("runs", runs);
      element.classList.toggle("low", runs && left < 20);
    }
  }
  const ticking = setInterval(tick, 200);

  function button(text, press, className = "") {
    return made("button", { type: "button", className, textContent: text, onclick: press, disabled: !isConnected });
  }

  function drawActions() {
    const { may, seat } = match.viewer;
    if (actions.querySelector(".asking") && may.includes("resign")) return; // an open question stays
    const parts = [];
    for (const offer of match.offers) {
      if (seat === null) continue;
      const isOwn = offer.from === seat;
      const row = [made("p", { textContent: isOwn ? say(`page_own_${offer.kind}`) : offer.text })];
      if (!isOwn) {
        const answer = (accept) => () => command({ type: "answer", offer: offer.kind, accept });
        const called = (element) => attributed(element, { "aria-label": `${element.textContent}: ${offer.text}` });
        row.push(called(button(say("page_accept"), answer(true), "main")), called(button(say("page_decline"), answer(false))));
      }
      parts.push(made("div", { className: "offer" }, ...row));
    }
    if (may.includes("play")) parts.push(...apart(match.position, button, (move) => command({ type: "play", move })));
    const row = [];
    for (const action of ["swap", "hint", "undo", "draw"]) {
      if (may.includes(action)) row.push(button(say(`page_${action}`), () => command({ type: action })));
    }
    if (may.includes("resign")) row.push(button(say("page_resign"), askResign));
    if (row.length) parts.push(made("div", { className: "row" }, ...row));
    const ends = match.result ? endings() : [];
    if (ends.length) parts.push(made("div", { className: "ends" }, ...ends));
    if (question) {
      const row = [made("p", { textContent: question.text })];
      const answer = (yes) => () => command({ type: "rate", yes });
      if (question.yes) row.push(button(question.yes, answer(true)), button(question.no, answer(false)));
      parts.push(made("div", { className: "offer" }, ...row));
    }
    if (seat === null) parts.push(...invitation());
    const focused = [...actions.querySelectorAll("button")].indexOf(document.activeElement);
    actions.replaceChildren(...parts);
    if (focused >= 0) actions.querySelectorAll("button")[focused]?.focus();
  }

  // The ways on from the end. The main one is the next strength after a win, otherwise the rematch.
  function endings() {
    const { may, seat } = match.viewer;
    const isNextMain = match.next && match.result.winner === seat;
    const found = [];
    if (may.includes("rematch")) found.push(button(say("page_rematch"), () => command({ type: "rematch" }), isNextMain ? "" : "main"));
    if (match.next) found.push(button(match.next, () => command({ type: "next" }), isNextMain ? "main" : ""));
    const look = ["review", "replay"].find((one) => may.includes(one));
    if (seat !== null && look) found.push(made("button", { type: "button", textContent: say(`page_${look}`), disabled: !replay, onclick: toReview }));
    if (seat !== null && home()) found.push(made("a", { className: "button", href: "/#games", textContent: say("page_another_game") }));
    return found;
  }

  function toReview() {
    replay.element.scrollIntoView({ block: "start" });
    replay.slider.focus({ preventScroll: true });
  }

  // The page's way to a new match, where strangers may begin one.
  function home() {
    const way = document.querySelector(".bar .main");
    return way?.getAttribute("href").startsWith("/") ? way : null;
  }

  // What a reader of a shared page can do themselves.
  function invitation() {
    const way = document.querySelector(".bar .main");
    if (!way) return [];
    const level = match.seats.find((one) => one.level)?.level;
    const href = home() ? `/?${new URLSearchParams({ game: match.game.key, ...(level && { level }) })}` : way.getAttribute("href");
    return [made("a", { className: "button main", href, textContent: home() ? say("page_play_yourself") : way.textContent })];
  }

  function askResign() {
    const close = () => {
      actions.replaceChildren();
      drawActions();
    };
    const keep = button(say("page_keep_playing"), close, "main");
    const resign = button(say("page_resign"), () => { close(); command({ type: "resign" }); }, "danger");
    const row = made("div", { className: "offer asking" }, made("p", { textContent: say("page_resign_sure") }), keep, resign);
    row.onkeydown = (event) => event.key === "Escape" && close();
    actions.replaceChildren(row);
    keep.focus();
  }

  function drawAim(move, name) {
    if (!move) return aim.replaceChildren();
    const place = button(say("page_place_at", { cell: name }), () => { board.clear(); command({ type: "play", move: move.move }); }, "main");
    return aim.replaceChildren(place, button(say("page_cancel"), () => board.clear()));
  }

  // The replay

  let isFetching = false;

  async function startReplay() {
    if (replay || isFetching || signal.aborted || !match.result) return;
    isFetching = true;
    board.show(match.position);
    const answer = await ask(`/api/matches/${match.match}/replay`);
    isFetching = false;
    if (signal.aborted || !match.result) return;
    refusal.textContent = answer.ok ? "" : answer.text;
    if (!answer.ok) {
      setTimeout(startReplay, REPLAY_AGAIN_MS);
      return;
    }
    replay = new Replay(match, answer.positions, pieces(), { ply: (position) => board.show(position), share: () => command({ type: "share" }) });
    panel.append(replay.element); // the list of moves can scroll from now on
    replay.judge(review ?? {});
    // Arrow keys step through the moves from now on, not through the cells.
    if (board.element.contains(document.activeElement)) replay.slider.focus({ preventScroll: true });
    draw();
  }

  function leaveReplay() {
    if (!replay) return;
    replay.stop();
    document.removeEventListener("keydown", replay.onkey);
    replay.element.remove();
    replay = null;
  }

  function leave() {
    leaving.abort();
    clearInterval(ticking);
    leaveReplay();
  }

  if (start) {
    start.redraw = draw;
    refusal.replaceChildren(...refused(start.refusal));
  }
  board.dress(look);
  board.lock(!start);
  draw();
  show();
  return leave;
}

function written(seconds) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  if (seconds < 20) return `0:${seconds < 10 ? "0" : ""}${(Math.floor(seconds * 10) / 10).toFixed(1)}`;
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

if (found("board")) open(found("first"), found("board"));

// The connection: whole documents only, never one older than shown unless a backup was restored, and no command
// lost or made twice.

import { identified } from "./data.js";

const PAUSES = [500, 1000, 2000, 4000, 8000, 15000];
const SILENCE = 40000;
const LATE_DOCUMENT = 2000;

// signal: aborted when the page is left, which closes the connection for good.
export function connect(first, on, signal) {
  let { version: shown, epoch } = first; // epoch: of the database, which a restored backup changes
  let tries = 0;
  let number = Math.floor(Math.random() * 1e6);
  let socket = null;
  let retry = 0;
  let silence = 0;
  let isGone = false;
  const unanswered = new Map();

  const write = (message) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const watch = () => write(identified({ type: "watch", match: first.match, have: shown, epoch }));
  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(), SILENCE);
  };

  function receive(message) {
    if (message.type === "match") {
      if (message.match.version > shown || message.match.epoch !== epoch) {
        ({ version: shown, epoch } = message.match);
        on.document(message.match);
      }
      return;
    }
    if (message.id !== undefined) unanswered.delete(message.id);
    if (message.type === "done" && message.version > shown) {
      setTimeout(() => message.version > shown && watch(), LATE_DOCUMENT);
    }
    if (message.type === "bye" && message.reason !== "restart") isGone = true;
    on.message(message, shown);
  }

  function open() {
    clearTimeout(retry);
    if (socket && socket.readyState < WebSocket.CLOSING) return;
    const mine = new WebSocket(`${location.origin.replace(/^http/, "ws")}/live`);
    socket = mine;
    mine.onopen = () => {
      watch();
      unanswered.forEach(write);
      listen();
      on.open();
    };
    mine.onmessage = (event) => {
      if (mine !== socket) return;
      tries = 0;
      listen();
      receive(JSON.parse(event.data));
    };
    mine.onclose = () => {
      if (mine !== socket) return;
      clearTimeout(silence);
      on.lost();
      if (isGone) return;
      retry = setTimeout(open, PAUSES[Math.min(tries, PAUSES.length - 1)] * (0.7 + 0.6 * Math.random()));
      tries += 1;
    };
  }

  addEventListener("online", open, { signal });
  document.addEventListener("visibilitychange", () => document.hidden || open(), { signal });
  signal.addEventListener("abort", () => {
    const last = socket;
    socket = null; // nothing that it still receives or says is heard
    clearTimeout(silence);
    clearTimeout(retry);
    last.close();
  });
  open();

  return (command) => {
    const message = { id: (number += 1), ...command };
    // A move is sent again after a lost connection: the server knows a move that it has stored.
    if (command.type === "play") unanswered.set(message.id, message);
    write(message);
    return message.id;
  };
}

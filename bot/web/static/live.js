// The connection: whole documents only, never one older than shown unless a backup was restored, and no command
// lost or made twice. It comes back by itself unless the server says that it ends for good.

import { identified } from "./data.js";

const PAUSES = [500, 1000, 2000, 4000, 8000, 15000, 30000];
const SPOKEN = 30000; // the server says something every 25 seconds
const SILENCE = 40000;
const LATE_DOCUMENT = 2000;

// on.open(): the server has answered. on.lost(bye): the connection ended; bye is the server's last word, or null.
// signal: aborted when the page is left, which closes the connection for good.
export function connect(first, on, signal) {
  let { version: shown, epoch } = first; // epoch: of the database, which a restored backup changes
  let tries = 0;
  let number = Math.floor(Math.random() * 1e6);
  let socket = null;
  let retry = 0;
  let silence = 0;
  let heardAt = 0;
  let bye = null;
  const unanswered = new Map();
  // By this name the server knows an earlier connection of this page, which may have broken without a word.
  const page = Math.random().toString(36).slice(2);

  const write = (message) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const watch = () => write(identified({ type: "watch", match: first.match, have: shown, epoch }));
  const listen = () => {
    heardAt = Date.now();
    clearTimeout(silence);
    silence = setTimeout(lose, SILENCE);
  };

  function receive(message) {
    if (message.type === "bye") {
      bye = message;
      return;
    }
    tries = 0;
    on.open();
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
    on.message(message, shown);
  }

  function open() {
    clearTimeout(retry);
    if (socket || bye?.final) return;
    bye = null;
    const mine = new WebSocket(`${location.origin.replace(/^http/, "ws")}/live?page=${page}`);
    socket = mine;
    listen();
    mine.onopen = () => {
      if (mine !== socket) return;
      watch();
      unanswered.forEach(write);
      listen();
    };
    mine.onmessage = (event) => {
      if (mine !== socket) return;
      listen();
      receive(JSON.parse(event.data));
    };
    mine.onclose = () => mine === socket && lose();
  }

  // Browsers take seconds to close a connection whose other end is gone: nothing waits for that.
  function lose() {
    const last = socket;
    socket = null; // nothing that it still receives or says is heard
    clearTimeout(silence);
    clearTimeout(retry);
    last?.close();
    if (signal.aborted) return;
    on.lost(bye);
    if (bye?.final) return;
    retry = setTimeout(open, PAUSES[Math.min(tries, PAUSES.length - 1)] * (0.7 + 0.6 * Math.random()));
    tries += 1;
  }

  // A connection from before the network was away, or from before a sleep, seems open and may be dead.
  function reopen(isDead) {
    if (socket && isDead) lose();
    open();
  }

  addEventListener("online", () => reopen(true), { signal });
  document.addEventListener("visibilitychange", () => document.hidden || reopen(Date.now() - heardAt > SPOKEN), { signal });
  signal.addEventListener("abort", lose);
  open();

  return (command) => {
    const message = { id: (number += 1), ...command };
    // A move is sent again after a lost connection: the server knows a move that it has stored.
    if (command.type === "play") unanswered.set(message.id, message);
    write(message);
    return message.id;
  };
}

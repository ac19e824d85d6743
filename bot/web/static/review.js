// The page that takes a game from elsewhere: as a text, or as a file that is chosen or dropped.

import { attributed, found, go, made, refused, say, send, toRoom } from "./data.js";

const MOST_BYTES = 1024 * 1024; // of the largest kind of file
const options = (choices) => choices.map(([value, textContent]) => made("option", { value, textContent }));
const field = (label, control, told) => made("label", {}, made("span", { textContent: label }), control, told ? made("small", { textContent: told }) : null);

// Show the form; returns a function that leaves it.
export function open(first) {
  const leaving = new AbortController();
  const { signal } = leaving;
  const text = made("textarea", { name: "text", rows: 6, maxLength: 262144, dir: "auto", spellcheck: false, autocapitalize: "off" });
  const file = made("input", { type: "file", name: "file" });
  const side = made("select", { name: "side" }, ...options(first.sides));
  const game = made("select", { name: "game" }, ...options(first.games));
  const number = made("input", { name: "number", inputMode: "numeric", maxLength: 6, autocomplete: "off" });
  const submit = made("button", { className: "main", textContent: say("page_import_go") });
  const refusal = attributed(made("p", { className: "refusal" }), { role: "alert" });
  const question = attributed(made("div", { className: "question" }), { role: "status" });
  const form = made("form", { className: "bring" },
    made("h1", { textContent: first.title }),
    field(first.fields.text, text, first.told.text),
    field(`${first.fields.file} · ${say("page_import_drop")}`, file, first.told.file),
    field(first.fields.side, side),
    field(first.fields.game, game),
    field(first.fields.number, number),
    submit, refusal, question, toRoom());
  document.getElementById("page").replaceChildren(form);

  // answered: the choice that the server has asked for.
  async function read(answered = {}) {
    const chosen = file.files[0];
    if (chosen && chosen.size > MOST_BYTES) return refusal.replaceChildren(first.tooLarge);
    const asked = { side: side.value, game: game.value, number: number.value.trim(), name: chosen?.name ?? "", ...answered };
    submit.disabled = true;
    refusal.replaceChildren();
    question.replaceChildren(made("p", { className: "note", textContent: say("page_import_reading") }));
    const answer = await send(`/api/games?${new URLSearchParams(asked)}`, chosen ?? new Blob([text.value]));
    if (signal.aborted) return undefined;
    submit.disabled = false;
    question.replaceChildren();
    if (!answer.ok) return refusal.replaceChildren(...refused(answer));
    if (answer.to) return go(answer.to);
    const buttons = answer.choices.map(([value, label]) => made("button", { type: "button", textContent: label, onclick: () => read({ ...answered, [answer.ask]: value }) }));
    question.replaceChildren(made("p", { textContent: answer.text }), ...buttons);
    return buttons[0].focus();
  }

  // What was given last is read: a text takes the place of a file.
  text.oninput = () => { file.value = ""; };
  form.onsubmit = (event) => {
    event.preventDefault();
    read();
  };
  const isOver = (state) => (event) => {
    event.preventDefault();
    form.classList.toggle("over", state);
  };
  addEventListener("dragover", isOver(true), { signal });
  addEventListener("dragleave", isOver(false), { signal });
  addEventListener("drop", (event) => {
    isOver(false)(event);
    if (event.dataTransfer.files.length) file.files = event.dataTransfer.files;
    else if (event.dataTransfer.getData("text")) {
      text.value = event.dataTransfer.getData("text");
      text.oninput();
    }
  }, { signal });
  return () => leaving.abort();
}

if (found("first").fields) open(found("first"));

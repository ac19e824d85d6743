// What one may choose before the first move: the opponent, the coach, and one step deeper the board and the opening.

import { attributed, made, say, store, stored } from "./data.js";

export class Opponents {
  // draft: the document of a match that is not begun. Unless it says which level was asked for, the last one is chosen.
  // on.chosen(level), on.asked({ board, position }).
  constructor(draft, on) {
    this.start = draft.start;
    this.game = draft.game;
    this.on = on;
    const { levels, algorithms, asked, usual } = this.start;
    this.levels = [...levels, ...algorithms.levels];
    const keys = [asked, stored(`level ${this.game.key}`, usual), usual];
    this.level = keys.map((key) => this.find(key)).find(Boolean) ?? levels[0];
    this.algorithms = made("select", {}, made("option", { value: "", textContent: algorithms.pick }), ...algorithms.levels.map((one) => made("option", { value: one.key, textContent: one.name })));
    this.algorithms.onchange = () => this.choose(this.find(this.algorithms.value) ?? this.level);
    this.hasCoach = Boolean(this.start.coach);
    this.coach = attributed(made("input", { type: "checkbox", checked: stored("coach", "") === "yes" }), { role: "switch" });
    this.coach.onchange = () => store("coach", this.coach.checked ? "yes" : "");
    this.about = made("p", { className: "about" });
    this.element = made("div", { className: "opponents" }, this.strengths(), this.about, this.waits(), this.switch(), this.all(), this.more());
    this.choose(this.level);
  }

  // What the server is asked for; the first move is added.
  asked() {
    const { key } = this.game;
    store("game", key);
    const isChosen = !this.start.waits || this.level.key !== this.start.usual;
    if (isChosen) store(`level ${key}`, this.level.key);
    store(`board ${key}`, this.game.board);
    return { game: key, board: this.game.board, level: this.level.key, first: "me", coach: this.hasCoach && this.coach.checked, position: this.start.position || null };
  }

  find(key) {
    return this.levels.find((one) => one.key === key);
  }

  choose(level) {
    this.level = level;
    this.about.replaceChildren(made("b", { textContent: level.name }), ` · ${level.character}`);
    for (const input of this.element.querySelectorAll("input[type=radio]")) input.checked = input.value === level.key;
    this.algorithms.value = this.start.levels.includes(level) ? "" : level.key;
    this.on.chosen(level);
  }

  radio(group, key, ...parts) {
    const input = made("input", { type: "radio", name: group, value: key });
    input.onchange = () => this.choose(this.find(key));
    return made("label", {}, input, ...parts);
  }

  strengths() {
    const { strengths } = this.start;
    const choices = strengths.map(({ word, level }, at) => {
      const pips = strengths.map((_, other) => (other <= at ? "●" : "○")).join("");
      return this.radio("strength", level, attributed(made("span", { className: "pips", textContent: pips }), { "aria-hidden": "true" }), made("span", { textContent: word }));
    });
    return made("fieldset", {}, made("legend", { textContent: say("page_opponent") }), made("div", { className: "strengths" }, ...choices));
  }

  // Why another opponent stands in at first.
  waits() {
    return made("p", { className: "note", hidden: !this.start.waits, textContent: this.start.waits ?? "" });
  }

  switch() {
    if (!this.hasCoach) return made("p", { className: "note", textContent: say("page_guests") });
    return made("label", { className: "switch" }, this.coach, made("span", { textContent: this.start.coach }));
  }

  all() {
    const title = say("page_all_levels", { count: this.start.levels.length });
    const choices = this.start.levels.map((level) => this.radio("level", level.key, made("b", { textContent: level.name }), made("span", { textContent: level.character }), made("span", { className: "number", textContent: level.rating ?? "" })));
    const { algorithms } = this.start;
    const last = algorithms.levels.length > 0 && made("label", {}, made("span", { textContent: algorithms.title }), this.algorithms);
    return made("details", {}, made("summary", { textContent: title }), attributed(made("div", { className: "levels" }, ...choices), { role: "radiogroup", "aria-label": title }), last ? made("div", { className: "choices" }, last) : null);
  }

  more() {
    const { boards, openings, position } = this.start;
    const fields = [];
    if (boards.length > 1) {
      const select = made("select", {}, ...boards.map((one) => made("option", { value: one.key, textContent: one.title, selected: one.key === this.game.board })));
      select.onchange = () => this.on.asked({ board: select.value });
      fields.push(made("label", {}, made("span", { textContent: say("page_board") }), select));
    }
    if (openings.length) {
      const list = made("datalist", { id: "openings" }, ...openings.map((one) => made("option", { value: one.name, label: one.title })));
      const input = attributed(made("input", { placeholder: say("page_name_or_moves"), autocomplete: "off", value: position }), { list: "openings" });
      input.onchange = () => this.on.asked({ board: this.game.board, position: input.value.trim() });
      fields.push(made("label", {}, made("span", { textContent: say("page_opening_played") }), input, list));
    }
    this.refusal = attributed(made("p", { className: "refusal" }), { role: "alert" });
    return fields.length ? made("details", { open: position !== "" }, made("summary", { textContent: say("page_more_options") }), made("div", { className: "choices" }, ...fields), this.refusal) : "";
  }
}

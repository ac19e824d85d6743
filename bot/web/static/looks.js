// The look of boards, which the browser remembers, and the pieces of both sides in it.

import { attributed, made, say, store, stored } from "./data.js";

const LOOKS = ["classic", "dark", "colour-blind", "shapes", "letters"];

export function chosenLook() {
  return stored("look", "classic");
}

export function lookChooser(changed) {
  const look = chosenLook();
  const chooser = attributed(made("select", { className: "look" }), { "aria-label": say("page_look") });
  chooser.append(...LOOKS.map((name) => made("option", { value: name, textContent: say(`page_look_${name}`), selected: name === look })));
  chooser.onchange = () => {
    store("look", chooser.value);
    changed(chooser.value);
  };
  return chooser;
}

export function piecesOf(description, look) {
  const palette = description.palettes[look] ?? description.palettes.classic;
  return palette.pieces.map((piece, side) => ({ ...piece, letter: palette.letters ? description.sides[side].letter : "" }));
}

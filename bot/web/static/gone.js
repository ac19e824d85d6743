// The page that says why there is nothing to show.

import { found, made } from "./data.js";

const { text } = found("first");
document.getElementById("page").replaceChildren(made("h1", { className: "gone", textContent: text }));

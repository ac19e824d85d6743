// The page that says why there is nothing to show.

import { found, made } from "./data.js";

document.getElementById("page").replaceChildren(made("p", { textContent: found("first").text }));

// Terms of use, or privacy: sections, and how to reach the host.

import { found, made } from "./data.js";

const { title, sections, contact } = found("first");
const href = contact.includes("/") ? contact : `mailto:${contact}`;
document.getElementById("page").replaceChildren(
  made("article", { className: "legal" }, made("h1", { textContent: title }),
    ...sections.flatMap(([heading, text]) => [made("h2", { textContent: heading }), made("p", { textContent: text })]),
    made("a", { className: "button", href, textContent: contact, dir: "ltr" })),
);

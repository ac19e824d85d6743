// The documents and texts inside the page, elements, and requests to the server.

export function found(id) {
  const element = document.getElementById(id);
  return element && JSON.parse(element.textContent);
}

let texts = found("texts") ?? {};
let session = null; // of an Activity: in memory, without a cookie
let lead = (to) => location.assign(to);

export function say(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function made(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function attributed(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export function drawn(name, attributes = {}, ...children) {
  const element = attributed(document.createElementNS("http://www.w3.org/2000/svg", name), attributes);
  element.append(...children);
  return element;
}

// Begin the session of an Activity. show(to): shows another page in the frame, which keeps its address.
export function enter(entered, show) {
  ({ session, texts } = entered);
  lead = show;
  Object.assign(document.documentElement, { lang: entered.lang, dir: entered.dir });
}

export function identified(message) {
  return session ? { ...message, session } : message;
}

export function go(to) {
  return lead(to);
}

// A link to a page of ours. Discord's frame shows the page itself, since it keeps its address.
export function way(href, textContent, className = "") {
  const onclick = (event) => {
    event.preventDefault();
    go(href);
  };
  return made("a", { href, textContent, className, ...(isInRoom() && { onclick }) });
}

// The text of a refusal, with a link where the server names one.
export function refused({ text = "", to, go: label }) {
  if (!to) return [text];
  const link = to.startsWith("/") ? way(to, label) : made("a", { href: to, textContent: label, target: "_blank", rel: "noreferrer" });
  return [`${text} `, link];
}

export function isInRoom() {
  return session !== null;
}

// The way back to the channel's room, inside Discord alone.
export function toRoom() {
  return isInRoom() ? made("button", { type: "button", className: "quiet", textContent: say("page_room"), onclick: () => go("/") }) : null;
}

// The server's document with ok: true, or what says why there is none: { ok: false, text }.
export function ask(path, method = "GET", body = undefined) {
  return answered(path, method, body && JSON.stringify(body), body ? { "Content-Type": "application/json" } : {});
}

// The same for a file's bytes, as they are.
export function send(path, bytes) {
  return answered(path, "POST", bytes, { "Content-Type": "application/octet-stream" });
}

async function answered(path, method, body, headers) {
  if (session) headers.Authorization = `Bearer ${session}`;
  try {
    const answer = await fetch(path, { method, headers, body });
    return { ok: answer.ok, ...(await answer.json()) };
  } catch {
    return { ok: false, text: say("page_failed") }; // no connection, or no answer of the server's own
  }
}

export function stored(key, fallback) {
  try {
    return localStorage.getItem(key) ?? fallback;
  } catch {
    return fallback; // storage is forbidden, as in some private windows
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // the choice holds for this page alone
  }
}

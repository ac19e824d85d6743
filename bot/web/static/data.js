// The documents inside the page, and requests to the server.

export function found(id) {
  const element = document.getElementById(id);
  return element && JSON.parse(element.textContent);
}

const texts = found("texts") || {};

export function say(key, values = {}) {
  return (texts[key] || key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  return { ok: answer.ok, ...(await answer.json()) };
}

export function made(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

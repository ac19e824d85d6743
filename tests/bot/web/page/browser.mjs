// As much of a browser as the page's modules use: elements, a clock that moves when told to, and WebSockets whose
// other end is the test.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

// Elements

function matcher(selector) {
  const parts = selector.trim().match(/^([\w-]*)((?:[.#][\w-]+)*)((?:\[[^\]]+\])*)(:[\w-]+)?$/);
  assert.ok(parts, `this browser knows no such selector: ${selector}`);
  const [, tag, marks, attributes] = parts;
  const wanted = [...(marks.match(/[.#][\w-]+/g) ?? [])];
  const pairs = [...attributes.matchAll(/\[([\w-]+)(?:="?([^\]"]*)"?)?\]/g)];
  return (one) => (!tag || one.tagName === tag)
    && wanted.every((mark) => (mark[0] === "." ? one.classList.contains(mark.slice(1)) : one.id === mark.slice(1)))
    && pairs.every(([, name, value]) => (value === undefined ? one.getAttribute(name) !== null : one.getAttribute(name) === value));
}

const alternatives = (selector) => {
  const each = selector.split(",").map((one) => one.trim().split(/\s+/).map(matcher));
  return (one) => each.some((chain) => {
    if (!chain.at(-1)(one)) return false;
    let above = one.parent;
    for (const wanted of chain.slice(0, -1).reverse()) {
      while (above && !wanted(above)) above = above.parent;
      if (!above) return false;
      above = above.parent;
    }
    return true;
  });
};

class Style {
  setProperty(name, value) { this[name] = value; }
}

class Element extends EventTarget {
  constructor(tagName) {
    super();
    Object.assign(this, { tagName, parent: null, children: [], attributes: new Map(), style: new Style(), dataset: {}, hidden: false, disabled: false });
    this.own = ""; // its text where it has no elements
    this.animations = [];
    const element = this;
    const names = () => new Set((element.attributes.get("class") ?? "").split(/\s+/).filter(Boolean));
    this.classList = {
      contains: (name) => names().has(name),
      remove: (name) => element.classList.toggle(name, false),
      add: (name) => element.attributes.set("class", [...names().add(name)].join(" ")),
      toggle: (name, isOn = !names().has(name)) => {
        const all = names();
        if (isOn) all.add(name);
        else all.delete(name);
        element.attributes.set("class", [...all].join(" "));
      },
    };
  }

  get className() { return this.attributes.get("class") ?? ""; }
  set className(value) { this.attributes.set("class", value); }
  get id() { return this.attributes.get("id") ?? ""; }
  set id(value) { this.attributes.set("id", value); }
  get textContent() { return this.children.length ? this.children.map((one) => one.textContent).join("") : this.own; }
  set textContent(value) { this.replaceChildren(); this.own = String(value); }
  get firstChild() { return this.children[0] ?? null; }
  get isConnected() { return this === document.body || Boolean(this.parent?.isConnected); }

  get value() { return this.tagName === "select" ? (this.chosen ?? this.children.find((one) => one.selected) ?? this.children[0])?.value ?? "" : this.held ?? this.own; }
  set value(value) {
    if (this.tagName === "select") this.chosen = this.children.find((one) => one.value === value);
    else this.held = String(value);
  }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }

  getAttribute(name) { return this.attributes.get(name) ?? (name.startsWith("data-") ? this.dataset[name.slice(5)] : null) ?? null; }
  removeAttribute(name) { this.attributes.delete(name); }

  adopt(given) {
    const nodes = given.map((one) => (one instanceof Element ? one : Object.assign(new Element("#text"), { own: String(one) })));
    for (const node of nodes) {
      node.remove();
      node.parent = this;
    }
    return nodes;
  }

  append(...nodes) {
    if (!nodes.length) return;
    if (this.own) this.children = this.adopt([this.own]);
    this.own = "";
    this.children.push(...this.adopt(nodes));
  }

  prepend(...nodes) {
    if (!nodes.length) return;
    if (this.own) this.children = this.adopt([this.own]);
    this.own = "";
    this.children.unshift(...this.adopt(nodes));
  }

  appendChild(node) { this.append(node); return node; }

  replaceChildren(...nodes) {
    for (const one of this.children) one.parent = null;
    this.children = [];
    this.own = "";
    this.append(...nodes.filter((one) => one !== null));
  }

  remove() {
    if (this.parent) this.parent.children = this.parent.children.filter((one) => one !== this);
    this.parent = null;
  }

  *all() {
    for (const one of this.children) {
      yield one;
      yield* one.all();
    }
  }

  querySelectorAll(selector) { const is = alternatives(selector); return [...this.all()].filter(is); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  matches(selector) { return selector.startsWith(":focus") ? document.activeElement === this : alternatives(selector)(this); }
  closest(selector) { const is = alternatives(selector); let one = this; while (one && !is(one)) one = one.parent; return one; }
  contains(other) { for (let one = other; one; one = one.parent) if (one === this) return true; return false; }
  getBoundingClientRect() { return { left: 0, top: 0, width: browser.cellSize, height: browser.cellSize }; }
  setPointerCapture() {}
  scrollIntoView() {}
  animate(frames, options) { this.animations.push({ frames, ...options }); return { finished: Promise.resolve() }; }

  focus() {
    document.activeElement = this;
    this.send("focusin");
  }

  // An event that bubbles to the document.
  send(type, properties = {}) {
    const event = new Event(type, { cancelable: true });
    let isStopped = false;
    const real = event.stopPropagation.bind(event);
    Object.defineProperty(event, "stopPropagation", { value: () => { isStopped = true; real(); } });
    for (const [name, value] of Object.entries(properties)) Object.defineProperty(event, name, { value });
    Object.defineProperty(event, "target", { value: this });
    for (let one = this; one && !isStopped; one = one.parent) {
      one[`on${type}`]?.(event);
      one.dispatchEvent(event);
    }
    if (!isStopped) document.dispatchEvent(event);
    return event;
  }

  click(properties = {}) {
    assert.ok(!this.disabled && !this.hidden, `a button that cannot be pressed: ${this.textContent}`);
    this.send("click", { detail: 1, ...properties });
  }
}

class Document extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { title: "", dir: "ltr", hidden: false, activeElement: null, referrer: "", documentElement: new Element("html") });
    this.body = new Element("body");
    this.body.append(Object.assign(new Element("main"), { id: "page" }));
  }

  createElement(name) { return new Element(name); }
  createElementNS(_, name) { return new Element(name); }
  getElementById(id) { return this.body.querySelector(`#${id}`); }
  querySelectorAll(selector) { return this.body.querySelectorAll(selector); }
  querySelector(selector) { return this.body.querySelector(selector); }
}

// The clock

class Clock {
  constructor() {
    this.now = 1_800_000_000_000;
    this.timers = new Map();
    this.next = 1;
  }

  set(work, after, every = null) {
    this.timers.set(this.next, { at: this.now + after, work, every });
    return this.next++;
  }

  // Move on, and do what was to be done meanwhile.
  async advance(milliseconds) {
    const until = this.now + milliseconds;
    for (;;) {
      const [id, timer] = [...this.timers].filter(([, one]) => one.at <= until).sort(([, one], [, other]) => one.at - other.at)[0] ?? [];
      if (!timer) break;
      this.now = timer.at;
      if (timer.every === null) this.timers.delete(id);
      else timer.at += timer.every;
      timer.work();
      await settled();
    }
    this.now = until;
    await settled();
  }
}

const realImmediate = setImmediate;

// Wait for all that goes on by itself.
export async function settled() {
  for (let round = 0; round < 3; round += 1) await new Promise(realImmediate);
}

// WebSockets

class FakeSocket {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSING = 2;
  static CLOSED = 3;

  constructor(url) {
    Object.assign(this, { url, readyState: 0, sent: [], isClosedByPage: false });
    browser.sockets.push(this);
  }

  send(text) {
    assert.equal(this.readyState, 1, "a message to a socket that is not open");
    this.sent.push(JSON.parse(text));
  }

  // The page closes it. A dead one stays like that for a long time.
  close() {
    this.isClosedByPage = true;
    if (this.readyState < 2) this.readyState = 2;
  }

  // The other end

  accept() { this.readyState = 1; this.onopen(); }
  say(message) { this.onmessage({ data: JSON.stringify(message) }); }
  end() { this.readyState = 3; this.onclose({}); }
  sentOf(type) { return this.sent.filter((one) => one.type === type); }
}

export const browser = { sockets: [], clock: new Clock(), cellSize: 60, answers: new Map(), asked: [], went: [], reloads: 0, luck: 0.5, features: [], screen: new EventTarget() };

// A new browser window with an empty page. texts: of the page. features: of the screen and the person's system that
// media queries find, such as "(max-width: 599px)".
export function openWindow(texts = {}, features = []) {
  const clock = new Clock();
  Object.assign(browser, { sockets: [], clock, cellSize: 60, answers: new Map(), asked: [], went: [], reloads: 0, luck: 0.5, features, screen: new EventTarget() });
  globalThis.document = new Document();
  if (Object.keys(texts).length) put("texts", texts);
  const listeners = new EventTarget();
  const media = (query) => ({
    get matches() { return query.split(" and ").every((part) => browser.features.includes(part)); },
    addEventListener: browser.screen.addEventListener.bind(browser.screen),
  });
  const storage = new Map();
  const parts = {
    window: globalThis,
    location: { origin: "https://play.example.org", pathname: "/m/key", hash: "", search: "", assign: (to) => browser.went.push(to), replace: (to) => browser.went.push(to), reload: () => { browser.reloads += 1; } },
    addEventListener: listeners.addEventListener.bind(listeners),
    dispatchEvent: listeners.dispatchEvent.bind(listeners),
    matchMedia: media,
    navigator: {},
    localStorage: { getItem: (key) => storage.get(key) ?? null, setItem: (key, value) => storage.set(key, value) },
    WebSocket: FakeSocket,
    setTimeout: (work, after = 0) => clock.set(work, after),
    setInterval: (work, every) => clock.set(work, every, every),
    clearTimeout: (id) => clock.timers.delete(id),
    clearInterval: (id) => clock.timers.delete(id),
    performance: { now: () => clock.now },
    fetch: async (path, options = {}) => {
      browser.asked.push([path, options]);
      const answer = browser.answers.get(path);
      if (answer === undefined) throw new TypeError("no connection");
      const [status, body] = Array.isArray(answer) ? answer : [200, answer];
      return { ok: status < 400, status, json: async () => structuredClone(body) };
    },
  };
  for (const [name, value] of Object.entries(parts)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  Date.now = () => clock.now;
  Math.random = () => browser.luck;
}

export function put(id, value) {
  document.body.append(Object.assign(new Element("script"), { id, textContent: JSON.stringify(value) }));
}

export function happens(type) {
  dispatchEvent(new Event(type));
}

// The window changes so that media queries find these features.
export function resize(...features) {
  browser.features = features;
  browser.screen.dispatchEvent(new Event("change"));
}

export function look(isHidden) {
  document.hidden = isHidden;
  document.dispatchEvent(new Event("visibilitychange"));
}

let copies = 0;

// A module of the page, loaded anew, since modules read the page when they are loaded.
export async function load(name) {
  return import(new URL(`${name}?${(copies += 1)}`, `file://${process.env.PAGE_MODULES}/`));
}

// The documents that the server made for these tests.
export const made = JSON.parse(readFileSync(process.env.PAGE_DOCUMENTS, "utf8"));

export const copy = (value) => structuredClone(value);

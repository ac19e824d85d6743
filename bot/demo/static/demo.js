// Offer choices before anything is typed, as Discord does; simcord waits for a letter.
let asked = "";
document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(".command-option-input")) return;
  const option = `${target.dataset.option} ${target.closest("form")?.textContent ?? ""}`;
  if (target.value || asked === option) return;
  asked = option;
  target.dispatchEvent(new Event("input", { bubbles: true }));
});

// Keep "in 3 minutes" counting from now; simcord counts from when the page was opened.
const said = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });
const isRelative = /^(in |now$|this |tomorrow$|yesterday$|next |last )| ago$/;
const units = [["second", 1, 60], ["minute", 60, 3600], ["hour", 3600, 86400], ["day", 86400, Infinity]];
function count() {
  for (const time of document.querySelectorAll("time.discord-timestamp")) {
    if (!isRelative.test(time.textContent)) continue;
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const [unit, size] = units.find(([, , end]) => Math.abs(seconds) < end);
    const text = said.format(Math.round(seconds / size), unit);
    if (time.textContent !== text) time.textContent = text;
  }
}
setInterval(count, 1000);
new MutationObserver(count).observe(document, { childList: true, subtree: true });

// Keep the pictures of a message until its new ones are loaded, as Discord does; simcord draws the message anew,
// with pictures that come later. A browser shows the old source of a picture until it has the new one.
const REVOKED_LATER = 30000;
const revoke = URL.revokeObjectURL.bind(URL);
URL.revokeObjectURL = (url) => { setTimeout(revoke, REVOKED_LATER, url); };
function messagesOf(node, target) {
  if (!(node instanceof Element)) return [];
  const inside = [...node.querySelectorAll(".channel-message")];
  if (inside.length) return inside.map((one) => [one.dataset.messageId, one]);
  const message = node.closest(".channel-message") ?? target.closest?.(".channel-message");
  return message ? [[message.dataset.messageId, node]] : [];
}
function picturesOf(part) {
  const found = new Map();
  part.querySelectorAll(".text-display").forEach((block, at) => {
    block.querySelectorAll("img").forEach((picture, place) => found.set(`${at}.${place}`, picture));
  });
  part.querySelectorAll("img:not(.custom-emoji)").forEach((picture, place) => found.set(`${place}`, picture));
  return found;
}
const isLoaded = (picture) => picture?.hasAttribute("src") && picture.naturalWidth > 0;
function keepPictures(records) {
  const before = new Map();
  for (const { removedNodes, target } of records) {
    for (const node of removedNodes) {
      for (const [id, part] of messagesOf(node, target)) if (!before.has(id)) before.set(id, picturesOf(part));
    }
  }
  for (const { addedNodes, target } of records) {
    for (const node of addedNodes) {
      for (const [id, part] of node.isConnected ? messagesOf(node, target) : []) {
        for (const [place, picture] of picturesOf(part)) {
          const old = before.get(id)?.get(place);
          if (!picture.hasAttribute("src") && isLoaded(old)) picture.src = old.src;
        }
      }
    }
  }
}
new MutationObserver(keepPictures).observe(document, { childList: true, subtree: true });

// A link to a message scrolls to it; on discord.com there is no such message.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest("a[href*='discord.com/channels/']");
  if (!link) return;
  event.preventDefault();
  const id = link.href.split("/").pop();
  const linked = document.querySelector(`.channel-message[data-message-id="${CSS.escape(id)}"]`);
  if (!linked) return;
  linked.scrollIntoView({ block: "center" });
  linked.classList.add("is-linked");
  setTimeout(() => linked.classList.remove("is-linked"), 1500);
}, true);

// Open at the newest message: until the person scrolls or presses, the timeline stays at its end.
const timeline = document.querySelector("#channel-timeline");
const stayed = new ResizeObserver(() => { timeline.scrollTop = timeline.scrollHeight; });
for (const part of timeline.children) stayed.observe(part);
for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) {
  document.addEventListener(kind, () => stayed.disconnect(), { capture: true, once: true });
}

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

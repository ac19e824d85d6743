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

// The inspector: opens pages, shows what was kept and why, and makes rules for a site.
import { api, site } from "./api.js";
import { $, arrows, count, h, say } from "./dom.js";
import { EXAMPLE } from "./example.js";
import { Frame } from "./frame.js";
import * as panels from "./panels.js";

const TABS = { pages: "Pages", page: "Page", blocks: "Blocks", text: "Text", facts: "Facts", chunks: "Chunks", records: "Records", regions: "Regions", papers: "Papers", overview: "Site", copies: "Copies" };
const OF_SITES = ["overview", "copies", "template", "same-layer", "style-tree"]; // tabs and methods that a single page has not
const PAGE_NAME = /\.(x?html?)$/i;
const MOST_CSS = 500000;
const CHUNK = 200; // words of a chunk
const PORTION = 4000000; // characters of pages in one request
const state = { formats: {}, site: null, page: null, document: null, method: "model", format: "text", tab: "page", panel: "blocks", chosen: -1, undo: [], overlay: true, turn: 0 };
const actions = { attempt, choose, look, format, forget };
const frame = new Frame({ look, choose, key: shortcut });

const BUSY_AFTER = 200; // milliseconds
let working = 0;
let off = []; // buttons that are off while something works

/** Show that something works, and turn the buttons off meanwhile. */
function busy(step) {
  working += step;
  document.body.toggleAttribute("aria-busy", working > 0);
  if (working === 1 && step > 0) setTimeout(() => {
    if (!working || !$("busy").hidden) return;
    $("busy").hidden = false;
    off = [...document.querySelectorAll("main button:not(:disabled), header button:not(:disabled), #start button:not(:disabled)")];
    for (const button of off) button.disabled = true;
  }, BUSY_AFTER);
  if (working) return;
  $("busy").hidden = true;
  for (const button of off) button.disabled = false;
  off = [];
}

/** Run something that may fail; tell the user why. */
async function attempt(work) {
  busy(1);
  try {
    return await work();
  } catch (error) {
    say(error.message);
    return undefined;
  } finally {
    busy(-1);
  }
}

// -- opening ---------------------------------------------------------------------------------------------------------

async function openFromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.get("report")) return showReport(asked.get("report"));
  if (asked.get("site")) return openSite(asked.get("site"), asked.get("page"));
  document.body.className = "empty";
  const { sites } = await api("GET", "/v1/sites");
  $("known").replaceChildren(...(sites.length ? [h("h2", {}, "Sites"), h("ul", { class: "list" }, sites.map((name) => h("li", {}, h("button", { onclick: () => go(name) }, name))))] : []));
  return undefined;
}

function go(name, page) {
  const address = `#site=${name}${page ? `&page=${page}` : ""}`;
  if (location.hash === address) attempt(openFromAddress);
  else location.hash = address;
}

async function openSite(name, page) {
  const turn = ++state.turn;
  if (state.site?.name !== name) {
    const found = await api("GET", site(name));
    if (!found.learned && found.pages.length) await api("POST", site(name, "/learn"));
    if (turn !== state.turn) return; // another page was asked for meanwhile
    state.site = found;
    state.undo = [];
    $("undo").hidden = true;
  }
  state.page = state.site.pages.find((each) => each.id === page) ?? state.site.pages[0];
  if (!state.page) throw new Error("the site has no pages");
  state.chosen = -1;
  const single = state.site.pages.length < 2;
  document.body.className = single ? "single" : "";
  for (const option of $("method").options) option.hidden = single && OF_SITES.includes(option.value);
  $("method").options[0].textContent = single ? "Node model" : "Node model + template";
  if (single && OF_SITES.includes(state.method)) state.method = $("method").value = "model";
  $("where").textContent = `${name} › ${state.page.name}`;
  document.title = `${state.page.name} – tamis inspector`;
  showPages();
  if (single && OF_SITES.includes(state.panel)) setTab("blocks");
  await load();
  surveyPages().catch(() => {});
}

async function showReport(job) {
  document.body.className = "report";
  $("where").textContent = "Report of a corpus run";
  frame.showPlain(await api("GET", `/v1/jobs/${encodeURIComponent(job)}/report`));
}

/** Put pages into a site of the service, learn its template, and open it. */
async function take(name, pages, css) {
  if (!pages.length) throw new Error("there is no page in it: pages end in .html, .htm or .xhtml");
  let first;
  for (const some of portions(pages)) {
    const put = await api("PUT", site(name, "/pages"), { pages: some, ...(css && !first && { css }) });
    first ??= put.added[0];
  }
  await api("POST", site(name, "/learn"));
  state.site = null;
  go(name, first);
}

/** The pages in portions that fit into a request. */
function* portions(pages) {
  let portion = [];
  let size = 0;
  for (const page of pages) {
    const more = page.html?.length ?? 0;
    if (portion.length && size + more > PORTION) {
      yield portion;
      portion = [];
      size = 0;
    }
    portion.push(page);
    size += more;
  }
  yield portion;
}

const slug = (name) => name.toLowerCase().replace(/[^a-z0-9._-]+/g, "-").replace(/^[^a-z0-9]+|-+$/g, "").slice(0, 60) || "pages";

async function takeFiles(files) {
  const pages = [];
  let css = "";
  for (const { path, file } of files) {
    if (PAGE_NAME.test(path)) pages.push({ name: path, html: await decoded(file) });
    else if (/\.css$/i.test(path) && css.length < MOST_CSS) css += await file.text();
  }
  const folder = files[0]?.path.includes("/") ? files[0].path.split("/")[0] : pages.length > 1 ? "dropped" : "pasted";
  await take(slug(folder), pages, css.slice(0, MOST_CSS));
}

/** A file's text in the encoding that it declares. */
async function decoded(file) {
  const bytes = await file.arrayBuffer();
  const start = new TextDecoder("latin1").decode(bytes.slice(0, 2048));
  const named = /charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(named).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** All files below a dropped entry. */
async function below(entry) {
  if (entry.isFile) return [{ path: entry.fullPath.replace(/^\//, ""), file: await new Promise((done, fail) => entry.file(done, fail)) }];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return found;
    for (const each of some) found.push(...(await below(each)));
  }
}

// -- the page --------------------------------------------------------------------------------------------------------

async function load() {
  const asked = { site: state.site.name, page: state.page.id, method: state.method, formats: Object.keys(state.formats), view: true, chunks: CHUNK };
  const turn = ++state.turn;
  const found = await api("POST", "/v1/extract", asked);
  if (turn !== state.turn) return;
  state.document = found;
  await frame.show(state.document.view, state.document.blocks, state.overlay);
  showDetail(-1);
  await showPanel();
}

/** The name of a page, of an address its path, that breaks where its parts end. */
const broken = (name) => name.replace(/^https?:\/\/[^/]+(?=\/)/, "").split(/(?<=[/?&=_-])/).flatMap((part) => [part, h("wbr")]);

/** The pages by title, the doubtful ones first, with the share that is kept; by name until that is known. */
function showPages() {
  const { pages, survey } = state.site;
  const doubt = (page) => survey?.[page.id]?.doubt ?? 0;
  const label = (page) => {
    const known = survey?.[page.id];
    if (!known) return broken(page.name);
    return [h("span", { class: "title" }, known.title || broken(page.name)), h("span", { class: "soft" }, ` ${Math.round(100 * known.kept)} % kept${known.doubt > 0.1 ? ", doubtful" : ""}`)];
  };
  const wantedOf = (page, wanted) => `${page.name} ${survey?.[page.id]?.title ?? ""}`.toLowerCase().includes(wanted.toLowerCase());
  const ordered = [...pages].sort((one, other) => doubt(other) - doubt(one));
  const list = arrows(h("ul", { class: "list" }));
  const fill = (wanted) => list.replaceChildren(...ordered.filter((page) => wantedOf(page, wanted)).map((page) =>
    h("li", {}, h("button", { "aria-current": String(page === state.page), onclick: () => { setTab("page"); go(state.site.name, page.id); }, title: page.name }, label(page)))));
  const filter = h("input", { type: "search", placeholder: `Filter ${count(pages.length, "page")}`, "aria-label": "Filter pages", oninput: () => fill(filter.value) });
  fill("");
  $("pages").replaceChildren(filter, list);
  list.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
}

/** Ask once for the titles and shares of all pages; the page that is open does not wait for them. */
async function surveyPages() {
  const asked = state.site;
  if (asked.survey || asked.pages.length < 2) return;
  asked.survey = {};
  const found = await api("GET", site(asked.name, "/survey"));
  asked.survey = Object.fromEntries(found.pages.filter((page) => !page.problem).map((page) => [page.id, page]));
  if (state.site === asked) showPages();
}

function look(number) {
  if (state.chosen >= 0) frame.mark("tamis-hover", number);
  else showDetail(number);
}

function choose(number, focus) {
  state.chosen = number;
  frame.choose(number, false);
  for (const button of $("side").querySelectorAll("[data-number]")) button.setAttribute("aria-current", String(Number(button.dataset.number) === number));
  $("side").querySelector("[data-number][aria-current=true]")?.scrollIntoView({ block: "nearest" });
  if (matchMedia("(max-width: 860px)").matches) setTab("page");
  showDetail(number);
  if (focus) $("detail").querySelector("select, button")?.focus();
}

function showDetail(number) {
  const block = state.document?.blocks[number];
  if (!block) {
    const kept = state.document?.blocks.filter((each) => each.kept).length ?? 0;
    $("detail").replaceChildren(h("p", { class: "verdict" }, `${count(kept, "block")} of ${state.document?.blocks.length ?? 0} kept`),
      h("p", { class: "soft" }, "Point at a block to see why it was kept or dropped; choose it to make a rule. Arrow keys move between blocks."));
    return;
  }
  const meter = block.probability === null ? null : h("span", {}, h("span", { class: "meter", role: "img", "aria-label": `Probability ${block.probability}` }, h("i", { style: `width:${100 * block.probability}%` })), block.probability.toFixed(2));
  const scope = h("select", { "aria-label": "What the rule matches" }, block.selectors.map((selector) => h("option", {}, selector)));
  const button = (kind, label) => h("button", { class: kind === (block.kept ? "drop" : "keep") ? "primary" : "", onclick: () => attempt(() => preview(kind, scope.value)) }, label);
  $("detail").replaceChildren(
    h("p", { class: "verdict" }, h("span", { class: `dot ${block.kept ? "kept" : ""}` }), block.kept ? "Kept" : "Dropped", meter),
    h("p", {}, block.reason, h("span", { class: "soft" }, ` · link density ${block.link_density.toFixed(2)} · <${block.tag}>`)),
    state.chosen === number ? h("div", { class: "row" }, h("label", { class: "scope" }, "Rule for", scope), button("keep", "Keep on all pages"), button("drop", "Drop on all pages"))
      : h("p", { class: "soft" }, block.text.slice(0, 160)));
}

// -- rules -----------------------------------------------------------------------------------------------------------

function changed(kind, selector) {
  const { keep, drop } = state.site.rules;
  const without = (list) => list.filter((each) => each !== selector);
  return { keep: kind === "keep" ? [...without(keep), selector] : without(keep), drop: kind === "drop" ? [...without(drop), selector] : without(drop) };
}

async function preview(kind, selector) {
  const rules = changed(kind, selector);
  const effect = await api("PATCH", site(state.site.name, "/rules?preview=true"), rules);
  const pages = effect.changed.slice(0, 50).map((page) => h("tr", {}, h("td", {}, page.name), h("td", { class: "n" }, `+${page.gained.toLocaleString("en")}`), h("td", { class: "n" }, `−${page.lost.toLocaleString("en")}`)));
  const save = h("button", { class: "primary", onclick: () => attempt(() => saveRules(rules, count(effect.changed.length, "page"))) }, "Save rule");
  $("detail").replaceChildren(
    h("p", { class: "verdict", role: "status" }, `${kind === "keep" ? "Keeping" : "Dropping"} ${selector} changes ${effect.changed.length} of ${count(effect.pages, "page")}: ${count(effect.gained, "character")} gained, ${effect.lost.toLocaleString("en")} lost`),
    h("div", { class: "row" }, save, h("button", { onclick: () => showDetail(state.chosen) }, "Cancel")),
    pages.length ? h("details", {}, h("summary", {}, "Pages that change"), h("table", {}, h("tbody", {}, pages))) : h("p", { class: "soft" }, "Nothing would change."));
  save.focus();
}

/** Put rules into force. `pages`: how many change, as the preview has told; nothing where a rule is undone. */
async function saveRules(rules, pages, undoing = false) {
  const before = state.site.rules;
  say();
  const saved = await api("PATCH", site(state.site.name, "/rules?effect=false"), rules);
  if (!undoing) state.undo.push(before);
  state.site.rules = saved.rules;
  state.site.survey = undefined;
  state.chosen = -1;
  $("undo").hidden = !state.undo.length;
  await load();
  say(undoing ? "Undone. " : "Rule saved. ", pages ? `${pages} changed. ` : "", undoing ? "" : h("button", { onclick: () => attempt(undo) }, "Undo"));
  if (document.activeElement === document.body) $("detail").focus();
}

async function undo() {
  const before = state.undo.pop();
  if (before) await saveRules(before, undefined, true);
}

async function forget(kind, selector) {
  await attempt(() => saveRules({ ...state.site.rules, [kind]: state.site.rules[kind].filter((each) => each !== selector) }));
}

// -- panels ----------------------------------------------------------------------------------------------------------

function format(wanted) {
  state.format = wanted;
  attempt(showPanel);
}

async function showPanel() {
  if (!state.document) return;
  const panel = state.panel;
  const content = await panels[panel](state, actions);
  if (panel !== state.panel) return;
  $("side").replaceChildren(...content);
  if (state.chosen < 0) $("side").querySelector(".blocks .kept")?.scrollIntoView({ block: "center" });
}

function setTab(tab) {
  state.tab = document.body.dataset.tab = tab;
  if (panels[tab]) {
    state.panel = tab;
    $("side").replaceChildren(h("p", { class: "soft" }, "Working…"));
    $("side").scrollTop = 0;
    attempt(showPanel);
  }
  const narrow = matchMedia("(max-width: 860px)").matches;
  for (const button of $("tabs").children) {
    const chosen = button.dataset.tab === (narrow ? state.tab : state.panel);
    button.setAttribute("aria-selected", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
  }
}

function shortcut(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.closest?.("input, textarea")) {
    event.preventDefault();
    attempt(undo);
  } else if (event.key === "Escape" && state.chosen >= 0) {
    const number = state.chosen;
    state.chosen = -1;
    frame.mark("tamis-chosen", -1);
    showDetail(-1);
    frame.choose(number, true);
    frame.mark("tamis-chosen", -1);
  }
}

// -- start -----------------------------------------------------------------------------------------------------------

for (const [tab, label] of Object.entries(TABS)) {
  const narrow = tab === "page" || tab === "pages";
  $("tabs").append(h("button", { role: "tab", "data-tab": tab, "aria-controls": narrow ? (tab === "page" ? "stage" : "pages") : "side", class: narrow ? `narrow of-${tab}` : "", onclick: () => setTab(tab) }, label));
}
$("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const shown = [...$("tabs").children].filter((button) => button.offsetParent);
  const next = step && shown[(shown.indexOf(event.target) + step + shown.length) % shown.length];
  if (next) {
    setTab(next.dataset.tab);
    next.focus();
  }
});
$("method").addEventListener("change", () => { state.method = $("method").value; state.chosen = -1; attempt(load); });
$("overlay").addEventListener("change", () => { state.overlay = $("overlay").checked; frame.overlay(state.overlay); });
$("undo").addEventListener("click", () => attempt(undo));
$("brand").addEventListener("click", () => { location.hash = ""; });
$("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
$("paste-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const html = $("paste").value;
  if (html.trim()) attempt(() => take("pasted", [{ name: `pasted page, ${count(html.length, "character")}`, html }]));
});
$("example").addEventListener("click", () => attempt(() => take("bay-news", EXAMPLE)));
$("url-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const url = $("url").value;
  attempt(() => take(slug(new URL(url).hostname), [{ url }]));
});
for (const id of ["files", "folder"]) {
  $(id).addEventListener("change", () => attempt(() => takeFiles([...$(id).files].map((file) => ({ path: file.webkitRelativePath || file.name, file })))));
}
document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dragging"); });
document.addEventListener("dragleave", () => document.body.classList.remove("dragging"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dragging");
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const html = event.dataTransfer.getData("text/html") || event.dataTransfer.getData("text/plain");
  attempt(async () => {
    if (entries.length) await takeFiles((await Promise.all(entries.map(below))).flat());
    else if (html) await take("pasted", [{ name: `dropped page, ${count(html.length, "character")}`, html }]);
  });
});
document.addEventListener("keydown", shortcut);
window.addEventListener("hashchange", () => attempt(openFromAddress));

function theme(wanted) {
  document.documentElement.dataset.theme = wanted;
  localStorage.setItem("theme", wanted);
}

theme(localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
setTab("blocks");
state.tab = document.body.dataset.tab = "page";
setTab("page");
await attempt(async () => {
  state.formats = (await api("GET", "/health")).formats;
  await openFromAddress();
});
document.body.dataset.ready = "";

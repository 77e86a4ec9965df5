// The panels beside the page: each gets the state of the inspector and gives elements.
import { api, site } from "./api.js";
import { arrows, copier, count, download, h } from "./dom.js";
import { reader } from "./frame.js";

const share = (value) => `${Math.round(100 * value)} %`;
const file = (state, end) => `${(state.page.name.split("/").pop() || "page").replace(/\.x?html?$/, "")}.${end}`;

export function blocks(state, actions) {
  const kept = state.document.blocks.filter((block) => block.kept).length;
  const list = h("ul", { class: "list blocks" }, state.document.blocks.map((block) => h("li", {}, h("button", {
    class: block.kept ? "kept" : "dropped", "data-number": block.number, "aria-current": String(block.number === state.chosen),
    onclick: () => actions.choose(block.number, false), onfocus: () => actions.look(block.number), onmouseenter: () => actions.look(block.number),
  }, h("span", { class: `dot ${block.kept ? "kept" : ""}`, role: "img", "aria-label": block.kept ? "Kept" : "Dropped" }),
  h("span", { class: "text" }, block.text), h("span", { class: "why" }, block.reason)))));
  return [h("h2", {}, `${count(kept, "block")} of ${state.document.blocks.length} kept`), ...problems(state), arrows(list)];
}

/** The command and the call that give what a panel shows. */
function same(state, command, call) {
  const model = state.method === "model" && !isSingle(state) && state.site.learned !== false;
  const learn = model ? [`tamis learn SITE/ -o ${state.site.name}.model\n`, `model = tamis.learn(Path("SITE"))\n`] : ["", ""];
  const lines = [`${learn[0]}${command}${model ? ` --model ${state.site.name}.model` : ""}`, `${learn[1]}document = tamis.extract(Path("PAGE"), url="URL"${model ? ", model=model" : ""})\n${call}`];
  return again(lines);
}

function again(lines) {
  return h("details", { class: "same" }, h("summary", {}, "The same as a command, and in Python"), lines.map((text) => h("div", { class: "row" }, h("pre", { class: "out", tabindex: "0" }, text), copier(text))));
}

const isSingle = (state) => state.site.pages.length < 2;
/** What went wrong with the page; that a single page is cleaned on its own goes without saying. */
const problems = (state) => state.document.problems.filter((text) => !(isSingle(state) && text.endsWith("on its own"))).map((text) => h("p", { class: "soft" }, text));

const READER = "body{font:15px/1.5 system-ui,sans-serif;margin:.8rem;overflow-wrap:anywhere}pre{overflow:auto}table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2rem .4rem}img{max-width:100%}";
const LABELS = { text: "Plain text", markdown: "Markdown", rendered: "Markdown, rendered", html: "HTML" }; // others are called by their names

export function text(state, actions) {
  const choice = h("select", { "aria-label": "Format", onchange: () => actions.format(choice.value) },
    ["rendered", ...Object.keys(state.formats)].map((form) => h("option", { value: form, selected: form === state.format }, LABELS[form] ?? form.toUpperCase())));
  const form = state.format === "rendered" ? "html" : state.format;
  const whole = h("button", { onclick: () => actions.attempt(async () => {
    const cleaned = await api("POST", site(state.site.name, "/clean"), { formats: [form], method: state.method });
    download(`${state.site.name}.jsonl`, cleaned.pages.map((page) => JSON.stringify(page) + "\n").join(""), "application/jsonl");
  }) }, "Download site");
  const one = h("button", { onclick: () => download(file(state, state.formats[form].slice(1)), state.document[form]) }, "Download page");
  const shown = state.document[form] || "(nothing was selected)";
  const out = state.format === "rendered"
    ? reader(`<meta charset="utf-8"><style>${READER}</style>${shown}`, "The main text, rendered")
    : h("pre", { class: "out", tabindex: "0", "aria-label": "Main text" }, shown);
  return [h("h2", {}, choice, h("span", {}, copier(shown), " ", one, " ", isSingle(state) ? null : whole)), ...problems(state), out,
    same(state, `tamis extract PAGE${form === "text" ? "" : ` --format ${form}`}`, `print(document.render("${form}"))`)];
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
/** A value as text: lists with commas, objects with a line for each name. */
const plain = (value) => Array.isArray(value) ? value.map(plain).join(", ") : typeof value !== "object" ? String(value) : Object.entries(value).map(([name, each]) => `${name}: ${each}`).join("\n");
/** Names and values in two columns. */
const values = (found) => h("table", { class: "facts" }, h("tbody", {}, Object.entries(found).filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length)).map(([name, value]) =>
  h("tr", {}, h("th", { scope: "row" }, name.replaceAll("_", " ")), h("td", {}, plain(value))))));

/** What the page says of itself: title, author, date; and of a product. */
export function facts(state) {
  const { product, ...rest } = state.document.metadata;
  const json = JSON.stringify(state.document.metadata, null, 2);
  return [h("h2", {}, "Facts about the page", h("span", {}, copier(json, "Copy JSON"))), values(rest),
    ...(product ? [h("h2", {}, "Product"), values(product)] : []), same(state, "tamis extract PAGE --json", "print(document.metadata)")];
}

/** The text in pieces for retrieval. */
export function chunks(state) {
  const found = state.document.chunks ?? [];
  const rows = found.map((chunk) => JSON.stringify(chunk)).join("\n");
  return [h("h2", {}, count(found.length, "chunk"), h("span", {}, copier(rows, "Copy JSON lines"))),
    h("p", { class: "soft" }, "Pieces of at most 200 words for retrieval. Each knows the headings above it."),
    ...found.map((chunk) => h("div", { class: "chunk" }, h("p", { class: "soft" }, `${chunk.headings.join(" › ")} · ${count(chunk.size, "word")}`), h("pre", { class: "out", tabindex: "0" }, chunk.text))),
    same(state, "tamis extract PAGE --chunks 200", "print(document.chunks(200))")];
}

export async function records(state, actions) {
  const found = await api("POST", "/v1/records", { site: state.site.name, page: state.page.id, csv: true });
  const none = found.regions.length ? [] : [h("h2", {}, "Records"), h("p", { class: "soft" }, sentence(found.notes.join("; ") || "the page has no list of records"))];
  const marked = (region) => `\ufeff${region.csv}`; // Excel takes CSV for UTF-8 only after this mark
  const kept = state.document.blocks.filter((block) => block.kept && block.css);
  const isMain = (region) => kept.some((block) => `${block.css} `.startsWith(`${region.css} `));
  const whole = h("button", { onclick: () => actions.attempt(async () => {
    const lines = [];
    for (const page of state.site.pages) {
      const [main] = (await api("POST", "/v1/records", { site: state.site.name, page: page.id })).regions;
      for (const row of main?.rows ?? []) lines.push(JSON.stringify({ page: page.name, ...Object.fromEntries(main.columns.map((column, k) => [column.name, row[k]])) }) + "\n");
    }
    download(`${state.site.name}-records.jsonl`, lines.join(""), "application/jsonl");
  }) }, "Download the main lists of all pages");
  return [...none, ...found.regions.flatMap((region, number) => [
    h("h2", {}, count(region.records, "record"), h("span", {}, copier(region.csv, "Copy CSV"), " ", h("button", { onclick: () => download(file(state, "csv"), marked(region), "text/csv") }, "Download CSV"))),
    h("p", { class: "soft" }, isMain(region) ? "In the main text: " : "Outside the main text: ", h("code", {}, region.css)),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Records of list ${number + 1}` }, table(region.columns.map((column) => column.name), region.rows.slice(0, 500))),
  ]), isSingle(state) ? null : h("p", {}, whole), again([`tamis records ${isSingle(state) ? "PAGE --all" : "SITE/ -o records.csv"}`, `for region in tamis.find_records(Path("PAGE")).regions:\n    print(region.table.to_csv())`])];
}

const table = (names, rows, kind = () => null) => h("table", {}, h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name)))),
  h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value) => h("td", { class: kind(value) }, (value ?? "").slice(0, 300)))))));

export async function regions(state) {
  const found = await api("POST", "/v1/segment", { site: state.site.name, page: state.page.id });
  const below = new Map();
  for (const block of found.blocks) below.set(block.parent, [...(below.get(block.parent) ?? []), block]);
  const node = (block, depth) => {
    const [, , width, height] = block.box.map(Math.round);
    const words = block.text.length > 90 ? `${block.text.slice(0, 90)}…` : block.text;
    const line = [h("b", {}, `DoC ${block.doc}`), h("span", { class: "soft" }, ` ${width}×${height}  `), h("bdi", {}, words)];
    const children = block.leaf || depth > 60 ? [] : below.get(block.number) ?? [];
    if (!children.length) return h("div", { class: "leaf" }, line);
    return h("details", { open: depth < 3 }, h("summary", {}, line), children.map((child) => node(child, depth + 1)));
  };
  const leaves = found.blocks.filter((block) => block.leaf).length;
  return [h("h2", {}, `${count(leaves, "region")}`), h("p", { class: "soft" }, "Regions that a reader sees, found by VIPS on a layout estimated from the markup. DoC is the degree of coherence: from 1, parts that look different, to 10, one piece."),
    h("div", { class: "tree" }, (below.get(null) ?? []).map((block) => node(block, 0)))];
}

/** The methods of the five papers on this page, with their figures. */
export async function papers(state) {
  const found = await api("POST", "/v1/papers", { site: state.site.name, page: state.page.id });
  const shares = new Set(["Tag", "Text", "NodeImp", "CompImp", "r", "DL", "Sim", "factor"]);
  const cells = (each) => each.rows.map((row) => row.map((value, k) => typeof value !== "number" ? value ?? "" : shares.has(each.headings[k]) ? value.toFixed(2) : value.toLocaleString("en")));
  const words = { content: "good", meaningful: "good", new: "good", "+": "good", noise: "bad", noisy: "bad", dropped: "bad", "-": "bad" };
  const kind = (value) => words[value] ?? (value.startsWith(" ") ? "pre" : /^[\d.,]+$/.test(value) ? "n" : null);
  return found.sections.flatMap((section) => [
    h("h2", {}, `${section.number}. ${section.title}`), h("p", { class: "soft" }, section.source), h("p", {}, section.idea),
    h("ul", {}, section.facts.map((fact) => h("li", {}, fact))),
    ...section.tables.flatMap((each) => [h("h3", {}, each.title),
      h("div", { class: "scroll figures", tabindex: "0", role: "region", "aria-label": each.title }, table(each.headings, cells(each), kind)),
      h("p", { class: "soft" }, each.note)]),
  ]);
}

export async function overview(state, actions) {
  const found = await api("GET", site(state.site.name, "/template"));
  const groups = found.layouts.map((pages, number) => ({ pages, number, first: Object.keys(found.page_layouts).find((id) => found.page_layouts[id] === number) }));
  const most = Math.max(1, ...found.layouts);
  const bar = (part, left, right) => h("div", { class: "bar" }, h("i", { style: `width:${(100 * part).toFixed(1)}%` }), h("span", {}, left), h("span", { class: "soft" }, right));
  const rule = (kind, selector) => h("div", { class: "rule" }, h("span", {}, `${kind} `, h("code", {}, selector)),
    h("button", { "aria-label": `Remove the rule ${kind} ${selector}`, onclick: () => actions.forget(kind, selector) }, "Remove"));
  const rules = [...found.rules.keep.map((selector) => rule("keep", selector)), ...found.rules.drop.map((selector) => rule("drop", selector))];
  return [
    h("h2", {}, "Rules"), rules.length ? h("div", {}, rules) : h("p", { class: "soft" }, "None yet. Choose a block to keep or drop it on all pages."),
    h("h2", {}, `${count(found.layouts.length, "layout")}, ${count(state.site.pages.length, "page")}`),
    groups.map(({ pages, number, first }) => {
      const name = state.site.pages.find((page) => page.id === first)?.name ?? `layout ${number + 1}`;
      return bar(pages / most, first ? h("a", { href: `#site=${state.site.name}&page=${first}` }, name) : name, count(pages, "page"));
    }),
    h("h2", {}, "Parts of the template"), h("p", { class: "soft" }, "The bar is the share of their text that repeats."),
    found.template.length ? found.template.slice(0, 25).map((part) => bar(part.repeated, part.path.split(" > ").slice(-2).join(" › "), `${share(part.repeated)} · ${part.pages} p.`)) : h("p", { class: "soft" }, "None: a template needs several pages."),
    h("h2", {}, "Most repeated blocks"),
    found.repeated.length ? found.repeated.map((block) => bar(block.pages / Math.max(1, found.sampled), block.text.slice(0, 140), count(block.pages, "page"))) : h("p", { class: "soft" }, "None."),
  ].flat();
}

export async function copies(state) {
  const found = await api("POST", "/v1/duplicates", { site: state.site.name });
  if (!found.clusters.length) return [h("h2", {}, "Copies"), h("p", { class: "soft" }, "No two pages have nearly the same text.")];
  return [h("h2", {}, count(found.clusters.length, "cluster")), ...found.clusters.flatMap((cluster) => cluster.copies.map((copy) => h("div", {},
    h("p", {}, h("b", {}, found.names[copy.id]), ` is ${copy.likeness === "near" ? "nearly the same as" : copy.likeness} `, h("b", {}, found.names[cluster.kept])),
    h("p", { class: "soft" }, copy.evidence?.reason ?? ""), compared(found.texts[cluster.kept], found.texts[copy.id]))))];
}

/** Two texts side by side; lines that only one of them has are marked. */
function compared(one, other) {
  const side = (text, against) => {
    const known = new Set(against.split("\n"));
    return h("div", {}, text.split("\n").slice(0, 200).map((line) => h("p", {}, known.has(line) ? line : h("mark", {}, line))));
  };
  return h("div", { class: "pair" }, side(one, other), side(other, one));
}

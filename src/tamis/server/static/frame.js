// The page in its sandboxed frame: no script runs in it; this document marks its blocks and listens.
import { $ } from "./dom.js";

const policy = window.trustedTypes?.createPolicy("tamis-frame", { createHTML: (html) => html }) ?? { createHTML: (html) => html };
/** A frame without any rights that shows a text as it is rendered. */
export function reader(html, title) {
  const frame = document.createElement("iframe");
  frame.className = "rendered";
  frame.title = title;
  frame.sandbox = "";
  frame.srcdoc = policy.createHTML(html);
  return frame;
}

const MARKS = `
[data-b] { cursor: pointer; border-radius: 2px; }
.tamis-image { border: 1px dashed #999; color: #666; font-style: italic; padding: 0 .3em; }
.tamis-image:empty { display: none; }
.tamis-on [data-kept="1"] { background: #0f766e26 !important; box-shadow: 0 2px #0f766e99 !important; }
.tamis-on [data-kept="0"] { opacity: .5; background: repeating-linear-gradient(135deg, #0000 0 5px, #8883 5px 6px) !important; }
[data-b].tamis-hover { outline: 1px solid #0f766e !important; opacity: 1 !important; }
[data-b].tamis-chosen, [data-b]:focus-visible { outline: 2px solid #0f766e !important; outline-offset: 1px; opacity: 1 !important; }
`;

export class Frame {
  /** on.look(block) while the pointer or the focus is on it, on.choose(block), on.leave() at Escape, on.key(event). */
  constructor(on) {
    this.on = on;
    this.spans = new Map();
    this.blocks = [];
  }

  show(html, blocks, overlay) {
    const frame = $("frame");
    this.blocks = blocks;
    return new Promise((done) => {
      frame.onload = () => {
        this.#mark(frame.contentDocument, overlay);
        this.#toKept(frame.contentDocument);
        done();
      };
      frame.sandbox = "allow-same-origin";
      frame.srcdoc = policy.createHTML(html);
    });
  }

  /** A document that is only read, in a frame without any rights. */
  showPlain(html) {
    $("frame").onload = null;
    $("frame").sandbox = "";
    $("frame").srcdoc = policy.createHTML(html);
  }

  overlay(wanted) {
    $("frame").contentDocument?.documentElement.classList.toggle("tamis-on", wanted);
  }

  mark(name, number) {
    for (const old of $("frame").contentDocument?.querySelectorAll(`.${name}`) ?? []) old.classList.remove(name);
    for (const span of this.spans.get(number) ?? []) span.classList.add(name);
  }

  choose(number, focus) {
    this.mark("tamis-chosen", number);
    const first = this.spans.get(number)?.[0];
    for (const spans of this.spans.values()) spans[0].tabIndex = spans[0] === first ? 0 : -1;
    first?.scrollIntoView({ block: "nearest" });
    if (focus) first?.focus();
  }

  #mark(page, overlay) {
    this.page = page;
    this.spans = new Map();
    const style = page.createElement("style");
    style.textContent = MARKS;
    page.head.append(style);
    for (const span of page.querySelectorAll("[data-b]")) {
      const number = Number(span.dataset.b);
      const block = this.blocks[number];
      if (!block) continue;
      span.dataset.kept = block.kept ? "1" : "0";
      if (!this.spans.has(number)) {
        this.spans.set(number, []);
        span.tabIndex = this.spans.size === 1 ? 0 : -1;
        span.setAttribute("role", "button");
        span.title = `${block.role}: ${block.reason}`;
        span.setAttribute("aria-label", `${block.kept ? "Kept" : "Dropped"}: ${block.text.slice(0, 120)}. ${block.reason}`);
      }
      this.spans.get(number).push(span);
    }
    page.documentElement.classList.toggle("tamis-on", overlay);
    const number = (event) => Number(event.target.closest?.("[data-b]")?.dataset.b ?? -1);
    page.addEventListener("mouseover", (event) => this.#look(number(event)));
    page.addEventListener("focusin", (event) => this.#look(number(event)));
    page.addEventListener("click", (event) => {
      event.preventDefault();
      if (number(event) >= 0) this.on.choose(number(event), false);
    });
    page.addEventListener("keydown", (event) => this.#key(event, number(event)));
  }

  /** Scroll to the first kept block where the upper half shows none. */
  #toKept(page) {
    const shown = [...page.querySelectorAll("[data-kept='1']")].map((span) => [span, span.getBoundingClientRect()]).filter(([, box]) => box.height);
    if (!shown.some(([, box]) => box.bottom > 0 && box.top < $("frame").clientHeight / 2)) shown[0]?.[0].scrollIntoView({ block: "center" });
  }

  #look(number) {
    this.mark("tamis-hover", number);
    if (number >= 0) this.on.look(number);
  }

  #key(event, number) {
    const order = [...this.spans.keys()];
    const step = { ArrowDown: 1, ArrowRight: 1, j: 1, ArrowUp: -1, ArrowLeft: -1, k: -1 }[event.key];
    if (step && !event.ctrlKey && !event.metaKey) {
      const next = order[order.indexOf(number) + step];
      if (next !== undefined) {
        event.preventDefault();
        this.choose(next, true);
      }
    } else if ((event.key === "Enter" || event.key === " ") && number >= 0) {
      event.preventDefault();
      this.on.choose(number, true);
    } else this.on.key(event);
  }
}


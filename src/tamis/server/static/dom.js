// Elements are made from names and text only: no HTML of a page is ever parsed in this document.
export const $ = (id) => document.getElementById(id);

/** An element. Properties that start with "on" are listeners, others attributes; children are elements or text. */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

let closing;
/** Tell something at the foot of the window. */
export function say(...content) {
  clearTimeout(closing);
  $("toast").replaceChildren(...content);
  closing = setTimeout(() => $("toast").replaceChildren(), 6000);
}

/** Hand a text to the user as a file. */
export function download(name, text, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A button that copies a text. */
export function copier(text, label = "Copy") {
  const button = h("button", { onclick: async () => {
    await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

export const count = (number, unit) => `${number.toLocaleString("en")} ${unit}${number === 1 ? "" : "s"}`;

/** Up and down move between the buttons of a list. */
export function arrows(list) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...list.querySelectorAll("button")];
    const next = buttons[buttons.indexOf(event.target) + step];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
  return list;
}

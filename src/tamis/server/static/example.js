// An invented site for a first look: three articles with the same menu, box and footer.
const ARTICLES = [
  ["The ferry returns", "Ann Lee", "2026-04-12", "The ferry runs again from Monday on. It was in the yard for a new engine, and the trial run went well.", "Tickets are sold at the quay, as before. Bicycles travel free until the end of May."],
  ["A clockmaker mends the harbour clock", "Bo Ek", "2026-04-19", "The harbour clock had stood still since the storm. Nobody found the part that it needed, so the clockmaker made it.", "She worked for three weeks. The clock strikes again, and it is only one minute late."],
  ["Oysters are back in the bay", "Cleo Marsh", "2026-05-03", "Divers counted forty young oysters for each square metre. Ten years ago there were none.", "The town will not fish them before next year. Then each family may take two dozen."],
];

const page = ([title, author, date, ...paragraphs], number) => `<!DOCTYPE html>
<html lang="en"><head><title>${title} | Bay News</title><meta name="author" content="${author}"><meta property="article:published_time" content="${date}">
<style>body{font:16px/1.5 Georgia,serif;margin:0;color:#222}header,footer{background:#1d3b4a;color:#fff;padding:.8rem 1.2rem}header a{color:#fff;margin-right:1rem}
main{display:grid;grid-template-columns:1fr 14rem;gap:2rem;padding:1.2rem}aside{background:#eef3f2;padding:.8rem;font-size:.9em}</style></head>
<body><header><a href="/">Bay News</a> <a href="/sport">Sport</a> <a href="/weather">Weather</a> <a href="/jobs">Jobs</a></header>
<main><article><h1>${title}</h1><p class="byline">By ${author}, ${date}</p>${paragraphs.map((text) => `<p>${text}</p>`).join("")}</article>
<aside><h2>Most read</h2><ul>${ARTICLES.filter((_, other) => other !== number).map(([other]) => `<li><a href="#">${other}</a></li>`).join("")}</ul>
<p>Get the news by mail. <a href="/newsletter">Subscribe</a></p></aside></main>
<footer>© Bay News. All rights reserved. <a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer></body></html>`;

export const EXAMPLE = ARTICLES.map((article, number) => ({ name: `bay-news/${article[0].toLowerCase().replaceAll(" ", "-")}.html`, html: page(article, number) }));

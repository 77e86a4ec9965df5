from __future__ import annotations

import re

import numpy as np
import pytest

from tamis import extract
from tamis.content.node_model import NodeModel
from tamis.document.render.code import language
from tamis.document.render.text import to_text
from tamis.page import tags
from tamis.page.parsing import parse


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ('<pre><code class="language-c++">x</code></pre>', "c++"),
        ('<pre class="lang-js prettyprint">x</pre>', "js"),
        ('<div class="highlight-python3 notranslate"><div class="highlight"><pre>x</pre></div></div>', "python3"),
        ('<div class="highlight highlight-source-shell"><pre>x</pre></div>', "shell"),
        ('<figure class="highlight yaml"><table><tr><td class="code"><pre>x</pre></table></figure>', "yaml"),
        ('<pre data-lang="rust">x</pre>', "rust"),
        ('<pre class="brush: sql; gutter: false">x</pre>', "sql"),
        ('<pre data-syntaxhighlighter-params="brush: sql; gutter: false">x</pre>', "sql"),
        ('<div class="language-toml"><table><tbody><tr><td><div><pre>x</pre></div></table></div>', "toml"),
        ('<div class="sourceCode"><pre class="sourceCode haskell">x</pre></div>', "haskell"),
        ('<div class="highlight-default notranslate"><div class="highlight"><pre>x</pre></div></div>', None),
        ('<div class="highlight"><pre>x</pre></div>', None),
        ('<pre class="language-plaintext">x</pre>', None),
        ('<pre class="language-`x">x</pre>', None),
        ('<pre class="gatsby-code-jsx"><code class="gatsby-code-jsx">x</code></pre>', "jsx"),
        ('<pre lang="en">x</pre>', None),
        ('<pre class="wp-block-code"><code>x</code></pre>', None),
        ('<pre class="code-block__code"><code>x</code></pre>', None),
        ('<pre class="src src-python">x</pre>', "python"),
        ('<article class="lang-fr"><pre>x</pre></article>', None),
        ('<pre class="language-js{1,3-5}">x</pre>', "js"),
        ('<pre class="language-null">x</pre>', None),
        ('<div class="blob-wrapper type-go"><pre>x</pre></div>', "go"),
        ('<pre><div>go</div><div><code class="hljs language-go">x</code></div></pre>', "go"),
    ],
)
def test_the_language_of_code_is_read_from_classes(html: str, name: str | None):
    tree = parse(html)
    assert language(tree, int(np.flatnonzero(tree.tag == tags.CODE["pre"])[0])) == name


ALL = NodeModel(threshold=0.0)
"""What stands in so little code is not for the model to say."""


@pytest.mark.parametrize(
    "block",
    [
        "<pre><span></span><span class=linenos>1</span>import os\n<span class=linenos>2</span>print(os.name)\n</pre>",
        "<pre><code><i><i class=ln>1</i>import os\n</i><i><i class=ln>2</i>print(os.name)\n</code></pre>",
        "<pre><code>import os\nprint(os.name)\n</code><ul class=pre-numbering><li>1<li>2</ul></pre>",
        "<pre><code><i class=line><i>1</i>import os</i>\n<i class=line><i>2</i>print(os.name)</i></code></pre>",
        "<pre><div><b>python</b><button>Copy</button></div><div><code>import os\nprint(os.name)</code></div></pre>",
    ],
)
def test_numbers_in_code_lines_are_left_out(block: str):
    assert extract(f"<main><p>{'Reeds grow in calm water. ' * 9}</p>{block}</main>").text.endswith("import os\nprint(os.name)")


@pytest.mark.parametrize(
    "code", ["<i>1</i>, a\n<i>2</i>, b\n", "<i>1</i>\n<i>2</i>\n", "<i>1</i> a\n<i>3</i> b\n", "x\ny\n<i>1</i> a\nz\nw\n<i>2</i> b"]
)
def test_numbers_of_the_code_itself_stay(code: str):
    page = extract(f"<main><p>{'Reeds grow in calm water. ' * 9}</p><pre>{code}</pre></main>", method=ALL)
    assert page.text.endswith(re.sub("<[^>]*>", "", code).strip())


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        ("<pre><i class=line>a = 1</i><i class=line>  b = 2</i></pre>", "a = 1\n  b = 2"),
        ("<pre>f {<i class=gatsby-highlight-code-line>  a</i><i class=gatsby-highlight-code-line></i>}\ng</pre>", "f {\n  a\n}\ng"),
        (
            "<pre><i class=line>a = 1</i>\n<i class=line>b = 2</i><br><i class=line>c = 3\n </i><i class=line>d</i></pre>",
            "a = 1\nb = 2\nc = 3\n d",
        ),
        ("<pre>cut the <i class=line>line</i> here, and <i class=line>there</i></pre>", "cut the line here, and there"),
        ("<pre><i class=line>1</i> a = 1</pre>", "1 a = 1"),
        ("<pre><code><b>a</b> = 1</code><code>  b = 2</code></pre>", "a = 1\n  b = 2"),
        ("<pre><code>$ </code><b><code>ls</code></b>\n<code>a.txt</code></pre>", "$ ls\na.txt"),
    ],
)
def test_lines_that_a_style_sheet_ends_are_lines(block: str, lines: str):
    page = extract(f"<main><p>{'Reeds grow in calm water. ' * 9}</p>{block}</main>", method=ALL)
    assert page.text.endswith(f"\n{lines}")
    assert page.render("markdown").endswith(f"```\n{lines}\n```")
    assert lines in re.sub("<[^>]*>", "", page.render("html"))


def test_a_line_that_only_names_the_language_of_the_code_after_it_goes():
    page = "<p>Bend:</p><div>{}</div><pre><code class=language-yaml>a: 1</code></pre>"
    assert extract(page.format("YAML")).markdown == "Bend:\n\n```yaml\na: 1\n```"
    assert "a.yaml\n" in extract(page.format("a.yaml")).text
    assert "## YAML" in extract(page.format("<h2>YAML</h2>")).markdown
    assert "in YAML" in extract(page.format("in <b>YAML</b>")).text


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("<div><span>bash</span><button>Copy code</button></div>", ""),
        ("<div><span>bash</span><span>复制</span></div>", ""),
        ("<div>bash</div>", ""),
        ("<div><span>ruby</span><button>Copy</button></div>", "ruby Copy"),
        ("<p><b>bash</b> reads these lines:</p>", "bash reads these lines:"),
        ("<h2>bash</h2>", "bash"),
    ],
)
def test_a_line_with_the_language_of_code_and_a_button_is_no_text(label: str, said: str):
    tree = parse(f"<p>Terns nest.</p>{label}<pre><code class=language-bash>ls</code></pre>")
    assert to_text(tree, tree.depth >= 0).splitlines()[1:-1] == [said] * bool(said)

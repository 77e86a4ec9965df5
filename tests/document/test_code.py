from __future__ import annotations

import re

import numpy as np
import pytest

from tamis import extract
from tamis.document.render.code import language
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
        ('<div class="sourceCode"><pre class="sourceCode haskell">x</pre></div>', "haskell"),
        ('<div class="highlight-default notranslate"><div class="highlight"><pre>x</pre></div></div>', None),
        ('<div class="highlight"><pre>x</pre></div>', None),
        ('<pre class="language-plaintext">x</pre>', None),
        ('<pre class="language-`x">x</pre>', None),
        ('<pre lang="en">x</pre>', None),
        ('<article class="lang-fr"><pre>x</pre></article>', None),
    ],
)
def test_the_language_of_code_is_read_from_classes(html: str, name: str | None):
    tree = parse(html)
    assert language(tree, int(np.flatnonzero(tree.tag == tags.CODE["pre"])[0])) == name


@pytest.mark.parametrize(
    "block",
    [
        "<pre><span></span><span class=linenos>1</span>import os\n<span class=linenos>2</span>print(os.name)\n</pre>",
        "<pre><code><i><i class=ln>1</i>import os\n</i><i><i class=ln>2</i>print(os.name)\n</code></pre>",
        "<pre><code>import os\nprint(os.name)\n</code><ul class=pre-numbering><li>1<li>2</ul></pre>",
    ],
)
def test_numbers_in_code_lines_are_left_out(block: str):
    assert extract(f"<main><p>{'Reeds grow in calm water. ' * 9}</p>{block}</main>").text.endswith("import os\nprint(os.name)")


@pytest.mark.parametrize(
    "code", ["<i>1</i>, a\n<i>2</i>, b\n", "<i>1</i>\n<i>2</i>\n", "<i>1</i> a\n<i>3</i> b\n", "x\ny\n<i>1</i> a\nz\nw\n<i>2</i> b"]
)
def test_numbers_of_the_code_itself_stay(code: str):
    page = extract(f"<main><p>{'Reeds grow in calm water. ' * 9}</p><pre>{code}</pre></main>")
    assert page.text.endswith(re.sub("<[^>]*>", "", code).strip())

from __future__ import annotations

import numpy as np
import pytest

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

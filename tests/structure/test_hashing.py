"""Hashes of texts and of paths."""

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tamis
from tamis.structure.hashing import path_hashes, text_hash, text_hashes
from tests.page.plain_columns import plain_text_hashes

SOUP = st.lists(st.sampled_from(["<div>", "</div>", "<p>", "<b>", "</b>", "<ul><li>", "</ul>", "x"]), max_size=50).map("".join)


def test_a_hash_is_the_same_in_every_process():
    code = "from tamis.structure.hashing import text_hash; print(text_hash('\\u7f51\\u9875'))"
    seen = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}).stdout
        for seed in "123"
    }
    assert seen == {f"{text_hash('网页')}\n"}


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=9)))
def test_texts_are_hashed_alike_one_by_one_and_together_compiled_and_plain(texts):
    hashes = text_hashes(texts).tolist()
    assert hashes == plain_text_hashes(texts).tolist() == [int(text_hashes([text])[0]) for text in texts]
    assert len(set(hashes)) == len(set(texts))


@given(SOUP)
def test_nodes_share_a_path_hash_exactly_when_they_share_the_path(html):
    tree = tamis.parse(html)
    hashes = path_hashes(tree.tag.astype(np.uint64), tree.depth, tree.end).tolist()
    paths = [tuple(int(tree.tag[up]) for up in [node, *tree.ancestors(node)]) for node in range(len(tree))]
    assert len(set(zip(hashes, paths, strict=True))) == len(set(hashes)) == len(set(paths))

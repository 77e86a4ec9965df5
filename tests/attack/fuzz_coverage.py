"""Coverage-guided fuzzing of everything that a caller may ask of a page (atheris, libFuzzer).

Run ``make fuzz-coverage``, or by hand, for as long as you like:

    pip install -e '.[fuzz]'
    python -m tests.attack.fuzz_coverage -max_total_time=60 -max_len=4096 .cache/fuzz

Arguments are libFuzzer's; the folder holds the inputs that reached new code, and starts with the demo site's pages. What
raises, or takes longer than ``-timeout``, is written to a file ``crash-...`` and ends the run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tamis"]):
    import tamis.document.document
    import tamis.page.parsing
    import tamis.site.extraction
    from tamis.site import learn

from demo import build_site
from tamis.document.document import FORMATS

SEED_BYTES = 4_096


def use(data: bytes) -> None:
    """Read a page as bytes and as text, render it in every form, learn from it."""
    for page in (data, data.decode("utf-8", "replace")):
        document = tamis.site.extraction.extract(page, url="https://lantern-bay.example/news/")
        document.to_json(FORMATS)
        assert all(isinstance(block.text, str) for block in document.blocks)
        assert isinstance(document.problems, tuple)
    model = learn([data, data + b"<p>another line", b"<p>a page"])
    model.clean(data).to_dict(FORMATS)


def seed(folder: Path) -> None:
    """Start from the beginnings of the demo site's pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(build_site()):
        (folder / f"seed-{number:02d}").write_bytes(page.raw[:SEED_BYTES])


def main() -> None:
    """Fuzz until libFuzzer's limits are reached."""
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    if folders and not any(Path(folders[0]).glob("seed-*")):
        seed(Path(folders[0]))
    atheris.Setup(sys.argv, use)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

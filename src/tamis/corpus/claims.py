"""What a run is: written down when it begins, so that nobody goes on with another one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tamis
from tamis.corpus.config import CorpusConfig
from tamis.corpus.shards import Shard
from tamis.corpus.tables import SCHEMA_VERSION
from tamis.errors import CorpusError
from tamis.io.files import stamp_of
from tamis.io.writing import written_whole


def claim(output: Path, config: CorpusConfig, shards: Sequence[Shard]) -> None:
    """Write down what the folder's run is, or see that it is this one."""
    mine = {
        "tamis": tamis.__version__,
        "schema": SCHEMA_VERSION,
        "settings": config.decisive,
        "sources": [[path, *stamp_of(path)] for path in sorted({path for shard in shards for path in shard.paths})],
    }
    path = output / "run.json"
    try:
        if path.exists():
            theirs = json.loads(path.read_text(encoding="utf-8"))
            if differing := _differences(theirs, json.loads(json.dumps(mine))):
                raise CorpusError(f"{output} holds another run; what differs: {'; '.join(differing)}. Choose another output, or remove it")
            return
        if output.exists() and any(output.iterdir()):
            raise CorpusError(f"{output} exists and is no run of tamis corpus: choose another output")
        with written_whole(path, hidden=True) as stream:
            stream.write(json.dumps(mine, indent=1).encode() + b"\n")
    except (OSError, ValueError) as error:
        raise CorpusError(f"cannot use {output}: {error}") from error


def _differences(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> list[str]:
    found = [f"{name} was {theirs.get(name)!r}, is {mine[name]!r}" for name in ("tamis", "schema") if theirs.get(name) != mine[name]]
    before, now = theirs.get("settings", {}), mine["settings"]
    found += [
        f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in sorted(before | now) if before.get(name) != now.get(name)
    ]
    if theirs.get("sources") != mine["sources"] and not any(line.startswith("sources ") for line in found):
        found.append("a source was changed since")
    return found

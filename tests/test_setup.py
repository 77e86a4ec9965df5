"""Building: what a machine lacks is said in one sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def test_without_a_compiler_the_build_says_what_to_install(tmp_path):
    pytest.importorskip("setuptools")
    project = Path(__file__).parents[1]
    shutil.copy(project / "setup.py", tmp_path)  # by itself: older versions of setuptools do not read this pyproject.toml
    shutil.copytree(project / "src/tamis/native", tmp_path / "src/tamis/native")
    build = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", "built"]
    environment = {**os.environ, "CC": "/nowhere/cc"}
    done = subprocess.run(build, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "error: tamis is built with a C compiler (/nowhere/cc), which this machine lacks." in done.stderr
    assert "apt-get install gcc" in done.stderr
    assert "Traceback" not in done.stderr

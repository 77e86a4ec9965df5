from pathlib import Path

import pytest

from tamis.errors import UsageError
from tamis.io.browser.settings import find_chromium


def program(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_setting_comes_before_the_variable_and_that_before_the_path(tmp_path):
    on_path, named, set_ = (program(tmp_path / place, "chromium") for place in ("path", "named", "set"))
    environment = {"PATH": str(tmp_path / "path"), "TAMIS_CHROMIUM": str(named)}
    assert find_chromium(set_, environment=environment) == set_
    assert find_chromium(environment=environment) == named
    assert find_chromium(environment={"PATH": str(tmp_path / "path")}) == on_path


def test_chromium_is_taken_before_chrome(tmp_path):
    program(tmp_path / "bin", "google-chrome")
    chromium = program(tmp_path / "bin", "chromium-browser")
    assert find_chromium(environment={"PATH": str(tmp_path / "bin")}) == chromium


def test_a_browser_that_is_named_and_not_there_is_a_mistake_of_the_caller(tmp_path):
    with pytest.raises(UsageError, match="TAMIS_CHROMIUM names"):
        find_chromium(environment={"TAMIS_CHROMIUM": str(tmp_path / "nothing")})
    with pytest.raises(UsageError, match="the setting names"):
        find_chromium(tmp_path / "nothing")

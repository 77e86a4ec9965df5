import pytest

from .pages import article


@pytest.fixture(scope="session")
def pages():
    return [article(number) for number in range(12)]

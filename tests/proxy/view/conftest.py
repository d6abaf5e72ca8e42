from collections.abc import Iterator

import pytest

from tests.proxy.view.seat import Seat, View, sitting


@pytest.fixture
def seat() -> Iterator[Seat]:
    with sitting(View()) as seat:
        yield seat

import pytest

from tests.fakes.indexes import BACKENDS


@pytest.fixture(params=BACKENDS)
async def index(request):
    async with request.param(request) as index:
        yield index

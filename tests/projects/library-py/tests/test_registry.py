import pytest

from parley import BackendError, backend


def test_an_unknown_backend_is_named() -> None:
    with pytest.raises(BackendError, match="carrier-pigeon"):
        backend("carrier-pigeon")

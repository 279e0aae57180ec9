# SPDX-License-Identifier: Apache-2.0
"""What a refused call has to say."""
import asterism
import pytest


def refused(call, *words, kind=asterism.BadInput):
    """One line with these words."""
    with pytest.raises(kind) as caught:
        call()
    line = str(caught.value)
    assert "\n" not in line
    for word in words:
        assert word in line

# SPDX-License-Identifier: Apache-2.0
"""Arguments, as the compiled part takes them: wrong ones raise BadInput with one line."""
from __future__ import annotations

import operator
from typing import Any, Callable, Optional

import numpy

from asterism._asterism import BadInput


def count(name: str, value: Any) -> Optional[int]:
    """A whole number, or None."""
    if value is None:
        return None
    try:
        return operator.index(value)
    except TypeError:
        raise BadInput(f"{name} {value!r}: expected a whole number") from None


def number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadInput(f"{name} {value!r}: expected a number") from None


def array(name: str, value: Any) -> numpy.ndarray:
    if not isinstance(value, numpy.ndarray):
        raise BadInput(f"{name}: a {type(value).__name__}; expected a NumPy array")
    return value


def shaped(name: str, value: Any, *shapes: tuple) -> numpy.ndarray:
    """An array of one of these shapes, in which None stands for any size."""
    found = array(name, value)
    for shape in shapes:
        if found.ndim == len(shape) and all(want in (None, size) for want, size in zip(shape, found.shape)):
            return found
    expected = " or ".join(str(shape).replace("None", "any") for shape in shapes)
    raise BadInput(f"{name}: an array of shape {found.shape}; expected {expected}")


def numbers(name: str, value: Any, length: int, each: Callable[[str, Any], Any] = number) -> tuple:
    """So many numbers, each as `each` takes them."""
    try:
        found = list(value)
    except TypeError:
        found = []
    if len(found) != length or None in found:
        raise BadInput(f"{name} {value!r}: expected {length} numbers")
    return tuple(each(name, one) for one in found)

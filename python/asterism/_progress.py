# SPDX-License-Identifier: Apache-2.0
"""`progress=True`: a bar on standard error, or in a notebook, by tqdm where it is installed (Debian: python3-tqdm)."""
from __future__ import annotations

import contextlib
import math
import sys
import time
import warnings
from typing import Any, Callable, Iterator, Optional, Union

PERIOD = 0.1  #: seconds between two pictures of a bar


class _Line:
    """A line that is written again: the part of tqdm that is needed here."""

    def __init__(self, total: int, unit: str) -> None:
        self.total, self.n, self._unit, self._text = total, 0, unit, ""
        self._begin = time.monotonic()

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        self._text = text

    def refresh(self, end: str = "") -> None:
        done = self.n / self.total if self.total else 1.0
        what = f"{self.n}/{self.total}{self._unit}" if self._unit else f"{self.n}%"
        sys.stderr.write(f"\r[{'#' * int(30 * done):30}] {what}, {time.monotonic() - self._begin:.1f} s"
                         f"{self._text and ', ' + self._text}{end}")
        sys.stderr.flush()

    def close(self) -> None:
        self.refresh("\n")


class _Bar:
    """So many of a unit; without one, per cent."""

    def __init__(self, total: int, unit: str) -> None:
        self._shown = -math.inf
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a notebook without widgets, which gets tqdm's line of text
                from tqdm.auto import tqdm
        except ImportError:
            self._bar: Any = _Line(total, unit)
        else:
            self._bar = tqdm(total=total, unit=unit, bar_format=None if unit else "{l_bar}{bar}| {elapsed}{postfix}")

    def show(self, done: int, text: str = "") -> None:
        self._bar.n = max(self._bar.n, min(done, self._bar.total))
        if text:
            self._bar.set_postfix_str(text, refresh=False)
        if time.monotonic() - self._shown > PERIOD:
            self._bar.refresh()
            self._shown = time.monotonic()

    def close(self) -> None:
        self._bar.close()


def advance(simulation: Any, steps: int, progress: Union[None, bool, Callable[[int], None]], every: Optional[int]) -> None:
    """So many steps of a compiled simulation. every: steps between two calls; default 100, and for a bar one in fifty."""
    if progress is not True:
        simulation.advance(steps, progress or None, 100 if every is None else every)
        return
    begin = simulation.step
    with contextlib.closing(_Bar(steps, " steps")) as bar:
        simulation.advance(steps, lambda step: bar.show(step - begin), max(1, steps // 50) if every is None else every)


@contextlib.contextmanager
def solve(progress: Union[None, bool, Callable[[int, float], None]], tolerance: float,
          max_iterations: int) -> Iterator[Optional[Callable[[int, float], None]]]:
    """What the library calls with the iteration and ||r|| / ||b||. The bar is full at the tolerance, on a scale of
    logarithms, or at the last iteration that is allowed, whichever is nearer."""
    if progress is not True:
        yield progress or None
        return
    with contextlib.closing(_Bar(100, "")) as bar:
        def tell(iteration: int, residual: float) -> None:
            done = iteration / max(max_iterations, 1)
            if 0 < residual < 1 and 0 < tolerance < 1:
                done = max(done, math.log(residual) / math.log(tolerance))
            bar.show(int(100 * min(done, 1.0)), f"iteration {iteration}, residual {residual:.1e}")

        yield tell
        bar.show(100)

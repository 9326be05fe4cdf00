"""The thread that closes what does not end by itself. It runs only while there is something to watch."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

LONGEST_WAIT_S: Final = 5.0
SHORTEST_WAIT_S: Final = 0.02


class Sweeper:
    """Calls `sweep` every now and then, from the first `wake` until it answers that nothing is left.

    `sweep` gives the method, or None when its owner is gone; the thread keeps nobody alive.
    """

    def __init__(self, sweep: Callable[[], Callable[[], bool] | None], idle_timeout_s: float) -> None:
        self._sweep = sweep
        self._wait_s = min(max(idle_timeout_s / 10, SHORTEST_WAIT_S), LONGEST_WAIT_S)
        self.start_over()

    def start_over(self) -> None:
        """As new, in a forked process, which has no thread."""
        self._lock = threading.Lock()  # protects _thread
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def wake(self) -> None:
        """Makes sure that the thread runs."""
        if self._thread is not None or self._stopped.is_set():
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="toolscore-sweeper", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Ends the thread for good."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._wait_s):
            sweep = self._sweep()
            if sweep is None:
                return
            with self._lock:
                if not sweep():
                    self._thread = None
                    return
            del sweep

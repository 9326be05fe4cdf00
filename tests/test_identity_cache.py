"""Results kept by the identity of what they were made of."""

from __future__ import annotations

from otel_toolscore.identity_cache import IdentityCache


def test_made_once_for_each_object() -> None:
    """An object's result is made once; an equal object has its own."""
    cache: IdentityCache[list[int]] = IdentityCache()
    first, second = {"a": 1}, {"a": 1}
    made = cache.get(first, lambda: [1])
    assert cache.get(first, lambda: [2]) is made
    assert cache.get(second, lambda: [3]) == [3]


def test_never_the_result_of_a_dead_object() -> None:
    """An id that is given to another object after the first is gone does not find the first one's result."""
    cache: IdentityCache[int] = IdentityCache(size=3)
    for number in range(1000):
        assert cache.get({"n": number}, lambda number=number: number) == number  # type: ignore[misc]

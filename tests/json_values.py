"""Hypothesis strategies for JSON values, the odd ones included: NaN, huge integers, lone surrogates, whitespace at the ends."""

from __future__ import annotations

from hypothesis import strategies as st

texts = st.one_of(
    st.text(max_size=8),
    st.text(alphabet=" \t\r\nab\ud800\u00df", max_size=6),
    st.sampled_from(["5", "5.0", "-0", "1e400", "NaN", "true", '{"a": 1}', '["rm", "-rf"]']),
)
numbers = st.one_of(
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.sampled_from([0.0, -0.0, 2**53, 2**53 + 1, float(2**53), 10**400, 5, 5.0]),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "a.b", ""]), inner, max_size=3)),
    max_leaves=8,
)


def nested(depth: int, leaf: object) -> tuple[object, object]:
    """A list in a list in a list ... around the leaf, and the same of objects."""
    lists, objects = leaf, leaf
    for _ in range(depth):
        lists, objects = [lists], {"a": objects}
    return lists, objects

"""The prefix store: longest match, budget, order of leaving, scopes, threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tiny import tiny_runtime
from support.trees import Tree

from steelyard.backbone.store import PrefixStore, Scope


@dataclass(eq=False)
class Fake:
    """A context that holds ten bytes for each token that its parent lacks."""

    ids: tuple[int, ...]
    parent: Fake | None = None
    layer: int = 1
    extra: int = field(default=0)

    @property
    def num_tokens(self) -> int:
        return len(self.ids)

    @property
    def num_bytes(self) -> int:
        return 10 * (len(self.ids) - (self.parent.num_tokens if self.parent else 0)) + self.extra

    def check_integrity(self) -> None:
        pass


def put(store, *ids, parent=None, scope=Scope()):  # noqa: B008
    context = Fake(ids, parent)
    store.put(ids, context, scope)
    store.check_integrity()
    return context


def test_the_longest_stored_prefix_is_found():
    store = PrefixStore(1000)
    short, long = put(store, 1, 2), put(store, 1, 2, 3, 4)
    put(store, 1, 9, 9)
    assert store.find((1, 2, 3, 4)) is long
    assert store.find((1, 2, 3, 4, 5)) is long
    assert store.find((1, 2, 3)) is short
    assert store.find((2, 1)) is None
    assert store.find((1,)) is None
    stats = store.statistics()
    assert (stats.hits, stats.misses, stats.hit_tokens) == (3, 2, 10)
    assert (stats.entries, stats.bytes) == (3, 90)


def test_the_least_recently_used_leaves_first():
    store = PrefixStore(60)
    put(store, 1, 1)
    put(store, 2, 2)
    put(store, 3, 3)
    store.find((1, 1))
    put(store, 4, 4)
    assert store.find((2, 2)) is None
    assert all(store.find((n, n)) for n in (1, 3, 4))
    assert store.statistics().evictions == 1


def test_an_entry_larger_than_the_budget_is_refused_and_counted():
    store = PrefixStore(50)
    kept = put(store, 1, 2, 3)
    assert not store.put(range(6), Fake(tuple(range(6))))
    assert store.find((1, 2, 3)) is kept
    assert (store.statistics().refused, store.statistics().evictions) == (1, 0)
    put(store, 5, 5, 5)
    assert store.statistics().evictions == 1


def test_a_store_without_budget_stores_nothing():
    store = PrefixStore(0)
    put(store, 1)
    assert store.find((1,)) is None
    assert store.statistics().entries == 0


def test_what_is_there_already_stays():
    store = PrefixStore(100)
    first = put(store, 1, 2)
    put(store, 1, 2)
    assert store.find((1, 2)) is first
    assert store.statistics().bytes == 20


def test_scopes_share_nothing():
    store = PrefixStore(1000)
    alice, bob = Scope("d", "isolated-v1", "alice"), Scope("d", "isolated-v1", "bob")
    hers = put(store, 1, 2, scope=alice)
    assert store.find((1, 2), bob) is None
    his = put(store, 1, 2, scope=bob)
    assert (store.find((1, 2), alice), store.find((1, 2), bob)) == (hers, his)


def test_a_context_brings_those_that_it_continues_and_they_leave_after_it():
    store = PrefixStore(60)
    past = Fake((1, 2, 3))
    present = put(store, 1, 2, 3, 4, parent=past)
    assert store.find((1, 2, 3)) is past
    assert store.statistics().bytes == 40
    store.find((1, 2, 3))
    put(store, 7, 7, 7)
    assert store.find((1, 2, 3, 4)) is not present
    assert store.find((1, 2, 3)) is past


def test_a_context_and_its_past_are_refused_together():
    store = PrefixStore(35)
    put(store, 1, 2, 3, 4, parent=Fake((1, 2, 3)))
    stats = store.statistics()
    assert (stats.entries, stats.refused) == (0, 1)


def test_a_context_of_another_past_is_refused():
    store = PrefixStore(100)
    put(store, 1, 2, 3)
    put(store, 1, 2, 3, 4, parent=Fake((1, 2, 3)))
    assert (store.statistics().entries, store.statistics().refused) == (1, 1)


def test_an_entry_that_grows_in_place_counts_as_it_is():
    store = PrefixStore(60)
    put(store, 1, 1)
    grown = put(store, 2, 2)
    grown.extra = 30
    assert store.statistics().bytes == 70
    store.trim()
    assert store.statistics().bytes == 50
    assert store.find((1, 1)) is None


def test_clearing_forgets_entries_and_keeps_counts():
    store = PrefixStore(60)
    put(store, 1)
    store.find((1,))
    store.clear()
    store.check_integrity()
    assert store.find((1,)) is None
    assert (store.statistics().hits, store.statistics().entries) == (1, 0)


@given(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.integers(0, 2), min_size=1, max_size=6)), max_size=40
    ),
    st.integers(0, 200),
)
def test_any_history_keeps_the_store_sound(history, budget):
    store = PrefixStore(budget)
    for is_put, ids in history:
        found = store.find(ids)
        if found is not None:
            assert tuple(ids[: found.num_tokens]) == found.ids
        if is_put:
            parent = found if found is None or found.num_tokens < len(ids) else found.parent
            store.put(ids, Fake(tuple(ids), parent))
            longest = store.find(ids)
            assert longest is None or longest.num_tokens <= len(ids)
        store.check_integrity()


def test_threads_leave_the_store_sound():
    store = PrefixStore(500)
    failures = []

    def work(seed: int) -> None:
        try:
            for n in range(300):
                ids = tuple((seed * n + i) % 5 for i in range(1 + n % 9))
                if store.find(ids) is None:
                    store.put(ids, Fake(ids))
                store.statistics()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    store.check_integrity()


def test_the_integrity_check_sees_a_tampered_entry():
    runtime = tiny_runtime()
    tree = Tree()
    tree.add(6, capture=True)
    state = runtime.advance(runtime.start(tree.batch()), 2)
    (prefix,) = runtime.captured(state).values()
    store = PrefixStore(1 << 20)
    store.put(prefix.ids, prefix)
    store.check_integrity()
    keys, values = prefix.layers[1]
    prefix.layers[1] = (keys[:-1], values)
    with pytest.raises(AssertionError, match="5 rows for 6 tokens"):
        store.check_integrity()
    larger = keys.new_zeros(100, *keys.shape[1:])
    prefix.layers[1] = (larger[:6], values)
    with pytest.raises(AssertionError, match="view of something larger"):
        store.check_integrity()

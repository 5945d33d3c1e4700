import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.tokens.pack import pack
from steelyard.tokens.plan import (
    ROOT,
    Batch,
    BatchRead,
    HiddenRead,
    LogitRead,
    LogProbRead,
    Node,
    Segment,
    TokenPlan,
)

Seen = set[tuple[int, int]]
"""What a token sees, itself included: (id, position) of each token."""


def plan_of(root: int, *branches: int, first_id: int = 0) -> TokenPlan:
    """A root and flat branches of the given lengths, every branch read at its end."""
    nodes = [Node(tuple(range(first_id, first_id + root)), ROOT, 0)]
    for index, length in enumerate(branches):
        ids = tuple(range(1000 * (index + 1), 1000 * (index + 1) + length))
        nodes.append(Node(ids, 0, root, reads=(LogitRead(length - 1, (1, 2)),)))
    return TokenPlan(tuple(nodes))


@st.composite
def plans(draw: st.DrawFn) -> TokenPlan:
    """Trees of any shape, with joins; roots are drawn from few, so that plans share them."""
    count = draw(st.integers(1, 9))
    root_ids = draw(st.sampled_from([(1,), (1, 2, 3), (7,) * 12, (1, 2, 3, 4)]))
    last = HiddenRead(len(root_ids) - 1)
    reads = draw(st.sampled_from([(), (), (last,), (HiddenRead(0), last)]))
    nodes = [Node(root_ids, ROOT, 0, reads=reads)]
    path = [0]
    for index in range(1, count):
        depth = draw(st.integers(1, len(path)))
        path = [*path[:depth], index]
        parent = path[depth - 1]
        siblings = [i for i, node in enumerate(nodes) if i > 0 and node.parent == parent]
        sees = tuple(siblings) if draw(st.booleans()) else ()
        start = max(nodes[i].end for i in (parent, *sees))
        length = draw(st.integers(1, 6))
        ids = tuple(draw(st.lists(st.integers(0, 99), min_size=length, max_size=length)))
        some = [HiddenRead(0), LogitRead(length - 1, (5,)), LogProbRead(length - 1, 5)]
        chosen = tuple(draw(st.lists(st.sampled_from(some), unique=True, max_size=3)))
        nodes.append(Node(ids, parent, start, sees, chosen))
    return TokenPlan(tuple(nodes))


def tokens(node: Node) -> Seen:
    return set(zip(node.ids, range(node.start, node.end), strict=True))


def seen_in_plan(plan: TokenPlan, index: int) -> Seen:
    """What the last token of a node sees."""
    node = plan.nodes[index]
    seen = tokens(node).union(*(tokens(plan.nodes[i]) for i in node.sees))
    return seen if node.parent == ROOT else seen | seen_in_plan(plan, node.parent)


def seen_in_batch(batch: Batch, index: int, prefixes: list[Seen]) -> Seen:
    """The same by the batch's own arrays; `prefixes` are its contexts."""

    def own(one: Segment) -> Seen:
        rows = slice(one.begin, one.end)
        return set(zip(batch.ids[rows].tolist(), batch.positions[rows].tolist(), strict=True))

    segment = batch.segments[index]
    seen = own(segment).union(*(own(batch.segments[i]) for i in segment.sees))
    if segment.parent != ROOT:
        return seen | seen_in_batch(batch, segment.parent, prefixes)
    return seen if segment.context == ROOT else seen | prefixes[segment.context]


def check_shape(batch: Batch) -> None:
    assert batch.ids.dtype == batch.positions.dtype == np.int64
    assert [s.begin for s in batch.segments] == [0, *(s.end for s in batch.segments[:-1])]
    assert batch.segments[-1].end == batch.num_rows == len(batch.positions)
    assert all(s.begin < s.end for s in batch.segments)
    path: list[int] = []
    for index, segment in enumerate(batch.segments):
        if segment.parent == ROOT:
            path = []
        assert segment.parent == ROOT or segment.parent in path, "a subtree is torn apart"
        assert all(0 <= seen < index for seen in segment.sees)
        assert segment.context == ROOT or segment.parent == ROOT
        path = [*path[: path.index(segment.parent) + 1], index] if path else [index]
    assert [read.row for read in batch.reads] == sorted(read.row for read in batch.reads)


@given(
    st.lists(plans(), min_size=1, max_size=8),
    st.integers(1, 60),
    st.booleans(),
    st.booleans(),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_batches_hold_every_node_once_and_show_it_what_its_plan_says(
    given_plans: list[TokenPlan],
    budget: int,
    capture: bool,
    contexts: bool,
    data: st.DataObject,
) -> None:
    stored = []
    by_root: dict[tuple[int, ...], int] = {}
    for plan in given_plans:
        root = plan.nodes[0]
        if root.reads:  # then the root is its plan's own
            stored.append(data.draw(st.integers(0, root.reads[0].offset)) if contexts else 0)
            continue
        if root.ids not in by_root:
            by_root[root.ids] = data.draw(st.integers(0, len(root.ids))) if contexts else 0
        stored.append(by_root[root.ids])
    capture = capture and contexts
    batches = pack(
        given_plans,
        budget_tokens=budget,
        stored_tokens=stored,
        capture=capture,
        contexts=contexts,
    )
    known: dict[tuple[int, int], int] = {}  # (owner, tokens) of prefixes that may be continued
    for index, count in enumerate(stored):
        known[index, count] = ROOT
    found: dict[tuple[int, int], int] = {}
    reads: dict[tuple[int, int], list[BatchRead]] = {}
    for number, batch in enumerate(batches):
        check_shape(batch)
        prefixes = []
        for owner, count in zip(batch.context_of, batch.contexts, strict=True):
            assert (owner, count) in known, "continues a root that nobody has captured yet"
            root = given_plans[owner].nodes[0]
            prefixes.append(set(list(zip(root.ids, range(len(root.ids)), strict=True))[:count]))
        for index, segment in enumerate(batch.segments):
            place = segment.plan, segment.node
            node = given_plans[segment.plan].nodes[segment.node]
            found[place] = found.get(place, 0) + 1
            assert seen_in_batch(batch, index, prefixes) == seen_in_plan(
                given_plans[segment.plan], segment.node
            )
            placed = [read for read in batch.reads if read.segment == index]
            assert {read.read for read in placed} == set(node.reads)
            for read in placed:
                assert batch.ids[read.row] == node.ids[read.read.offset]
                assert batch.positions[read.row] == node.start + read.read.offset
            reads.setdefault(place, []).extend(placed)
            if segment.capture:
                assert segment.node == 0
                known[segment.plan, len(node.ids)] = number
        if batch.num_rows > budget:
            below_root = {
                (s.plan, n) for s in batch.segments for n in [top(given_plans[s.plan], s.node)]
            }
            apart = {(plan, joined(given_plans[plan], n)) for plan, n in below_root if n}
            assert len(apart) + (contexts and any(n == 0 for _, n in below_root)) <= 1
    for index, plan in enumerate(given_plans):
        for node in range(1, len(plan.nodes)):
            assert found[index, node] == 1
    roots = sum(found.get((index, 0), 0) for index in range(len(given_plans)))
    distinct = {
        (p.nodes[0].ids, i if p.nodes[0].reads else ROOT) for i, p in enumerate(given_plans)
    }
    assert roots <= len(distinct) or not contexts
    if capture:
        captured = [s for batch in batches for s in batch.segments if s.capture]
        assert len(captured) == roots


def top(plan: TokenPlan, node: int) -> int:
    """The branch of the root that a node belongs to; 0 for the root."""
    while node != 0 and plan.nodes[node].parent != 0:
        node = plan.nodes[node].parent
    return node


def joined(plan: TokenPlan, branch: int) -> int:
    """The last branch of the root that is tied to this one by what it sees."""
    last = branch
    for index, node in enumerate(plan.nodes):
        if node.parent == 0 and node.sees and branch < index:
            last = index
    return last


def test_sixty_four_questions_of_very_unequal_length_leave_no_row_unused() -> None:
    lengths = [int(length) for length in np.geomspace(8, 1500, 64)]
    given_plans = [plan_of(600, length) for length in lengths]
    batches = pack(given_plans, budget_tokens=4096)
    assert sum(batch.num_rows for batch in batches) == 600 + sum(lengths)
    assert all(batch.num_rows <= 4096 for batch in batches)
    assert len(batches) == -(-(600 + sum(lengths)) // 4096)


def test_a_group_goes_where_it_leaves_the_least_room() -> None:
    sizes = (70, 50, 30, 25, 25)
    given_plans = [plan_of(size - 1, 1, first_id=100 * size) for size in sizes]
    given_plans[4] = plan_of(24, 1, first_id=7)
    batches = pack(given_plans, budget_tokens=100)
    assert [sorted({s.plan for s in batch.segments}) for batch in batches] == [[0, 2], [1, 3, 4]]


def test_a_plan_over_the_budget_captures_its_root_once_and_continues_it() -> None:
    batches = pack([plan_of(50, *[30] * 6)], budget_tokens=100)
    assert [batch.num_rows for batch in batches] == [80, 90, 60]
    assert [segment.capture for segment in batches[0].segments] == [True, False]
    assert [batch.contexts for batch in batches] == [(), (50,), (50,)]
    assert [batch.context_of for batch in batches] == [(), (0,), (0,)]
    assert all(segment.context == 0 for batch in batches[1:] for segment in batch.segments)
    assert batches[1].positions[:30].tolist() == list(range(50, 80))


def test_without_contexts_every_batch_has_the_root() -> None:
    batches = pack([plan_of(50, *[30] * 6)], budget_tokens=120, contexts=False)
    assert [batch.num_rows for batch in batches] == [110, 110, 110]
    assert not any(segment.capture for batch in batches for segment in batch.segments)


def test_a_stored_beginning_of_a_root_is_continued_by_the_rest_of_the_root() -> None:
    (batch,) = pack([plan_of(50, 5)], budget_tokens=100, stored_tokens=[20], capture=True)
    root, branch = batch.segments
    assert batch.contexts == (20,)
    assert (root.context, root.parent, root.end, root.capture) == (0, ROOT, 30, True)
    assert (branch.context, branch.parent) == (ROOT, 0)
    assert batch.positions.tolist() == list(range(20, 55))
    assert [read.row for read in batch.reads] == [34]


def test_branches_of_a_wholly_stored_root_continue_it_themselves() -> None:
    (batch,) = pack([plan_of(50, 5, 6)], budget_tokens=100, stored_tokens=[50])
    assert batch.contexts == (50,)
    assert [(s.context, s.parent) for s in batch.segments] == [(0, ROOT), (0, ROOT)]


def test_plans_with_equal_roots_share_one() -> None:
    (batch,) = pack([plan_of(50, 5), plan_of(50, 6), plan_of(50, 7, first_id=1)], budget_tokens=999)
    assert [(s.plan, s.node) for s in batch.segments] == [(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)]


def test_a_root_that_is_measured_is_not_shared() -> None:
    measured = TokenPlan((Node((1, 2), ROOT, 0, reads=(HiddenRead(1),)),))
    (batch,) = pack([measured, measured], budget_tokens=9)
    assert [(s.plan, s.node) for s in batch.segments] == [(0, 0), (1, 0)]
    with pytest.raises(AssertionError, match="must be computed"):
        pack([measured], budget_tokens=9, stored_tokens=[2])


def test_nothing_to_compute_is_no_batch() -> None:
    assert pack([], budget_tokens=9) == ()
    assert pack([TokenPlan((Node((1, 2), ROOT, 0),))], budget_tokens=9, stored_tokens=[2]) == ()

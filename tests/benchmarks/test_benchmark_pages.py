"""Tables in pages are those that the records give."""

from __future__ import annotations

import pytest

from benchmarks import mini_table, variants_table
from benchmarks.pages import END, begin, renew
from benchmarks.record import RECORDS


@pytest.mark.parametrize("made", [mini_table, variants_table], ids=lambda made: made.MAKER)
def test_the_committed_page_shows_the_committed_records(made) -> None:
    page = made.PAGE.read_text(encoding="utf-8")
    assert renew(page, made.MAKER, made.render(RECORDS)) == page, (
        f"run python -m {made.MAKER} and commit the page with the records"
    )


def test_only_what_is_between_the_marks_is_written() -> None:
    page = f"before {begin('a')} old {END} between {begin('b')} kept {END} after"
    renewed = renew(page, "a", "new\n")
    assert renewed == f"before {begin('a')}\n\nnew\n\n{END} between {begin('b')} kept {END} after"
    assert renew(renewed, "a", "new\n") == renewed
    for broken in (
        "no marks",
        begin("a"),
        f"{END} {begin('a')}",
        f"{begin('a')} {begin('a')} {END}",
    ):
        with pytest.raises(ValueError, match="the page needs"):
            renew(broken, "a", "new\n")

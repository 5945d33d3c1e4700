from random import Random

from steelyard.data.windows import windows


def test_windows_cover_the_text_without_gap_or_overlap() -> None:
    rng = Random(0)
    for _ in range(50):
        text = "".join(rng.choice("ab \n") for _ in range(rng.randrange(200)))
        cuts = windows(text, 20)
        assert "".join(text[start:end] for start, end in cuts) == text
        assert all(0 < end - start <= 20 for start, end in cuts)


def test_a_window_ends_after_the_last_line_break_of_its_second_half() -> None:
    text = "aaaa aaaa\nbbbb bbbb\ncc" + "c" * 20
    assert windows(text, 22)[0] == (0, 20)
    assert windows("a" * 15 + " " + "b" * 15, 20)[0] == (0, 16)
    assert windows("a" * 30, 20) == [(0, 20), (20, 30)]
    assert windows("", 20) == []

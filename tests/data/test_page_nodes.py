from steelyard.data.page_nodes import described, node_texts

PAGE = """
<div backend_node_id="1"><a backend_node_id="2" href="x">Sign&nbsp;in</a>
<p backend_node_id="3">Open <b>now<p backend_node_id="4">Later</p></div>
<input backend_node_id="5"> <span backend_node_id="6">Out</span>
"""


def test_texts_belong_to_the_node_and_those_around_it() -> None:
    texts = node_texts(PAGE)
    assert texts["2"] == "Sign in" and texts["4"] == "Later" and texts["5"] == ""
    assert texts["1"] == "Sign in Open now Later"
    assert texts["6"] == "Out"


def test_an_element_is_named_by_its_text_or_its_most_telling_attribute() -> None:
    assert described("a", {"id": "x"}, "Sign in", 20) == "[a] Sign in"
    assert described("input", {"id": "q", "aria_label": "Search"}, "", 20) == "[input] Search"
    assert described("div", {"class": "row"}, "", 20) is None
    assert described("div", {}, "x" * 21, 20) is None

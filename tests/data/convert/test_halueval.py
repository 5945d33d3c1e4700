from support.corpora import choices, drawn, gold_label, nouls, write_jsonl

from steelyard.data.convert import halueval


def row(number, verdict):
    return {
        "ID": "",
        "user_query": f"query {number}",
        "chatgpt_response": f"response {number}",
        "hallucination": verdict,
        "hallucination_spans": [],
    }


def test_invented_responses_are_named_in_all_kinds(tmp_path):
    rows = [row(0, "yes"), row(1, "no")]
    write_jsonl(tmp_path, "halueval/general_data.json.gz", rows)
    examples = drawn(halueval.SOURCE, tmp_path)
    for example in nouls(examples):
        assert example.question.instructions in (*halueval.MADE_UP, *halueval.SOUND)
        inverted = example.question.instructions in halueval.SOUND
        assert (example.target[0] > 0.5) == ((example.group == "0") != inverted)
    for example in choices(examples):
        invented = example.group == "0"
        assert gold_label(example) in {pair[invented] for pair in halueval.LABELS}
        described = example.question.criteria[gold_label(example)]
        assert described in (None, halueval.MEANINGS[invented])

"""An exchange in rows. How they are printed is tried in `tests/cli/test_show.py`."""

from tests.flows import exchange
from tests.playback.test_run import ANSWER, played, shipped_rules
from tests.rewrite.answers import chunk, event
from thinkwire.playback.reading import read_exchange, read_result
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.summary import Tone, answer_rows, exchange_rows


def test_a_row_has_a_name_a_text_and_a_tone() -> None:
    rows = list(exchange_rows(read_exchange(RecordedExchange(1, exchange(ANSWER)))))
    assert [(row.name, row.text, row.tone) for row in rows] == [
        ("asked", "chat-completions, model m, stream, 1 message", Tone.PLAIN),
        ("answered", "200 text/event-stream, 4 events", Tone.PLAIN),
        ("reasoning", "Hm", Tone.REASONING),
        ("content", "Hi", Tone.PLAIN),
        ("finish", "stop", Tone.PLAIN),
        ("times", "total 2.50 s", Tone.PLAIN),
    ]


def test_rules_are_named_if_they_were_asked() -> None:
    (result,) = played(shipped_rules("strip"), exchange(ANSWER))
    (row,) = [row for row in exchange_rows(read_result(result)) if row.name == "rules"]
    assert (row.text or "").startswith("strip-all (")


def test_times_may_be_those_of_another_reading() -> None:
    said = [event(chunk(delta)) for delta in ({"reasoning": "Hm"}, {"content": "Hi"})]
    timed = read_exchange(RecordedExchange(1, exchange(*said, times=[0.5, 1.5])))
    untimed = read_exchange(RecordedExchange(1, exchange(*said)))
    texts = [row.text for row in answer_rows(untimed, timed) if row.name == "times"]
    assert texts == ["first reasoning 0.50 s, first answer 1.50 s, total 1.50 s"]

"""An engine whose replies are kept."""

import pytest

from bot.engine.recorded import RecordedEngine
from bot.engine.scripted import ScriptedEngine

OPTIONS = {"model": "m", "temperature": 0.0, "max_tokens": 10, "num_ctx": 100}


async def test_what_was_recorded_can_be_played():
    replies, texts = [], []
    first = RecordedEngine(ScriptedEngine([{"content": "Hello.", "thinking": "Hm"}]), replies.append)
    given = await first.generate([], on_text=texts.append, **OPTIONS)
    played = await ScriptedEngine(replies).generate([], **OPTIONS)
    assert (played["content"], "".join(texts)) == (given["content"], "Hello.")
    assert "thinking" not in replies[0]


async def test_a_failure_is_kept_without_its_words_and_is_one_all_the_same():
    replies = []
    with pytest.raises(OSError, match="secret"):
        await RecordedEngine(ScriptedEngine([OSError("secret")]), replies.append).generate([], **OPTIONS)
    assert replies == [{"error": "OSError"}]


def test_its_queue_stays_its_own():
    class Queued(ScriptedEngine):
        slot = "a place"

    assert RecordedEngine(Queued([]), print).slot == "a place"
    assert RecordedEngine(ScriptedEngine([]), print).slot is None

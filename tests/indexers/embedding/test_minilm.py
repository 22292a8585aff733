import asyncio
import subprocess
import sys

import numpy as np
import pytest

from indexers.embedding import EmbeddingError
from indexers.embedding.minilm import MiniLmEmbedder

PAIRS = [
    ("How many days of leave do new employees get?", "New employees are entitled to 25 days of paid leave a year."),
    ("When does the night train leave for Vienna?", "The sleeper to Vienna departs at 21:40 from platform nine."),
    ("Which antibiotic was used?", "Patients were treated with amoxicillin for ten days and recovered fully."),
]


@pytest.fixture(scope="module")
def minilm(minilm_files):
    return MiniLmEmbedder(minilm_files)


async def test_each_question_is_nearest_to_its_own_passage_and_above_the_floor(minilm):
    passages = await minilm.embed_documents([passage for _, passage in PAIRS])
    cosines = np.stack([await minilm.embed_query(question) for question, _ in PAIRS]) @ passages.T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2]
    assert (cosines.diagonal() > minilm.floor).all()


async def test_nonsense_stays_below_the_floor(minilm):
    passages = await minilm.embed_documents([passage for _, passage in PAIRS])
    for nonsense in ("zxqv blorp wug", "flurbnog quibbit zanthor", "asdf", "hgtr wqpl mnbv"):
        assert (passages @ await minilm.embed_query(nonsense)).max() < minilm.floor


async def test_the_cosines_are_those_of_the_published_weights(minilm):
    # Three claims of AllenAI SciFact (CC BY 4.0); the cosines are of the original float32 weights, run with torch.
    first, second, other = await minilm.embed_documents(
        [
            "Autophagy declines in aged organisms.",
            "Cellular aging closely links to an older appearance.",
            "The PRR MDA5 is a sensor of RNA virus infection.",
        ]
    )
    assert first @ second == pytest.approx(0.493, abs=0.01)
    assert first @ other == pytest.approx(0.121, abs=0.01)


async def test_a_row_does_not_depend_on_the_batch_nor_on_the_order(minilm):
    texts = [f"passage number {number} " + "of some length " * (number % 5) for number in range(40)]
    rows = await minilm.embed_documents(texts)
    assert (rows.shape, rows.dtype) == ((40, 384), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for place in (0, 17, 39):
        assert rows[place] @ await minilm.embed_query(texts[place]) > 0.99


async def test_blank_texts_get_zeros(minilm):
    rows = await minilm.embed_documents(["", "leave", "  "])
    assert [bool(row.any()) for row in rows] == [False, True, False]
    assert not (await minilm.embed_query(" ")).any()
    assert (await minilm.embed_documents([])).shape == (0, 384)


async def test_a_title_is_read_before_the_text(minilm):
    titled = (await minilm.embed_documents(["thirty days"], titles=["Leave"]))[0]
    assert titled @ await minilm.embed_query("Leave thirty days") == pytest.approx(1, abs=1e-3)


async def test_a_long_text_is_read_to_its_256th_token(minilm):
    within, beyond = "storm " * 150, "storm " * 300
    rows = await minilm.embed_documents([within, within + "leave " * 90, beyond, beyond + "leave " * 90])
    assert rows[0] @ rows[1] < 0.95
    assert rows[2] @ rows[3] == pytest.approx(1, abs=1e-3)


async def test_the_loop_goes_on_while_texts_are_embedded(minilm):
    turns = 0

    async def turn():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        turning = tasks.create_task(turn())
        await minilm.embed_documents(["storm " * 250])
        turning.cancel()
    assert turns > 10


def test_a_folder_without_the_files_is_named_with_the_command_that_brings_them(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbeddingError, match=r"^model\.onnx is not in .*: footnote models fetch$"):
        MiniLmEmbedder(tmp_path)


async def test_damaged_files_are_named_with_the_command_that_mends_them(tmp_path):
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(EmbeddingError, match="cannot be read; fetch them again: footnote models fetch"):
        await MiniLmEmbedder(tmp_path).embed_query("leave")


def test_without_the_extra_the_command_that_installs_it_is_named(tmp_path):
    # In a Python that lacks the two packages, since this one has them.
    code = (
        "import sys, pathlib\n"
        "sys.modules.update(onnxruntime=None, tokenizers=None)\n"
        "from indexers.embedding.minilm import MiniLmEmbedder\n"
        "MiniLmEmbedder(pathlib.Path(sys.argv[1]))\n"
    )
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert "EmbeddingError: all-MiniLM-L6-v2 needs onnxruntime and tokenizers" in run.stderr
    assert "pip install onnxruntime tokenizers" in run.stderr

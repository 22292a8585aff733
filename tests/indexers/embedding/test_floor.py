import numpy as np
import pytest

from indexers.embedding.floor import floor_of, keep_floor, kept_floor


def unit(*rows):
    vectors = np.array(rows, dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_the_floor_lies_halfway_between_nonsense_and_true_pairs():
    passages, nonsense = unit([1, 0, 0], [0, 1, 0]), unit([0, 0, 1])
    assert floor_of(passages, passages, nonsense) == pytest.approx(0.5)


def test_the_floor_is_never_below_nonsense_even_where_true_pairs_are():
    passages = unit([1, 0], [0, 1])
    assert floor_of(passages, unit([0, 1], [1, 0]), unit([1, 1])) == pytest.approx(0.707, abs=0.001)


def test_what_was_measured_is_kept_by_name(tmp_path):
    file = tmp_path / "new" / "floors.json"
    keep_floor(file, "a", 0.25)
    keep_floor(file, "b", 0.5)
    assert (kept_floor(file, "a"), kept_floor(file, "b"), kept_floor(file, "c")) == (0.25, 0.5, None)
    assert [path.name for path in file.parent.iterdir()] == ["floors.json"]


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": "x"}', "null"])
def test_a_file_without_use_only_means_to_measure_again(tmp_path, content):
    file = tmp_path / "floors.json"
    file.write_text(content)
    keep_floor(file, "b", 0.5)
    assert (kept_floor(file, "a"), kept_floor(file, "b")) == (None, 0.5)


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    keep_floor(tmp_path / "file" / "floors.json", "a", 0.5)

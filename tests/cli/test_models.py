"""`footnote models fetch`: where the embedding model is, or why it is not."""


def test_a_folder_of_ones_own_is_taken_as_it_is(footnote, env, tmp_path):
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"x")
    env(FOOTNOTE_MINILM=str(tmp_path))
    done = footnote("models", "fetch")
    assert (done.code, done.err) == (0, "")
    assert str(tmp_path) in done.out


def test_a_folder_of_ones_own_without_the_files_is_one_line_and_1(footnote, env, tmp_path):
    env(FOOTNOTE_MINILM=str(tmp_path))
    done = footnote("models", "fetch")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert "FOOTNOTE_MINILM" in done.err

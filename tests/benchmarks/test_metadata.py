from benchmarks.metadata import score_metadata


def test_titles_are_compared_by_words():
    score = score_metadata([("Ripe  Tomatoes!", "ripe tomatoes"), ("tomatoes ripe", "ripe tomatoes"), ("番茄", "番茄")], "title")
    assert (score.right, score.exact, score.with_gold) == (2, 1, 3)


def test_authors_are_compared_in_any_order():
    assert score_metadata([("Bo Ek; Ann Lee", "By Ann Lee and Bo Ek"), ("Ann", "Ann Lee")], "author").accuracy == 0.5


def test_the_day_decides_about_dates():
    score = score_metadata([("2024-03-05T10:00:00", "2024-03-05"), ("2024-03-05", "2024-03"), ("2024-03", "2024-03-05")], "date")
    assert (score.right, score.exact) == (2, 2)


def test_pages_without_gold_count_only_what_is_invented():
    score = score_metadata([("a", None), ("", ""), (None, "b")], "title")
    assert (score.pages, score.invented, score.with_gold, score.given, score.accuracy, score.precision) == (3, 1, 1, 0, 0.0, 0.0)
    assert score_metadata([], "title").exact_accuracy == 0.0

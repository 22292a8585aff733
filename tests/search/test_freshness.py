from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.search import HybridSearch
from bot.search.freshness import KEPT, asks_for_the_latest, kept
from indexers.document import EVERYTHING
from tests.fakes.corpus import NOON, FakeEmbedder, document, put

YEAR = timedelta(days=365)


@pytest.mark.parametrize(
    "question",
    [
        "What is the latest on Acme?",
        "LATEST budget",
        "Who is currently on call?",
        "our current leave policy",
        "the most recent invoice",
        "any news about Falcon?",
        "Any updates?",
        "Is there an update on the move?",
        "What's new in the handbook?",
        "is the guide up-to-date",
        "What did the last report say?",
        "the last three invoices",
        "today's menu",
        "la dernière version du contrat",
        "les derniers chiffres",
        "les trois derniers rapports",
        "la politique de congés actuelle",
        "Qui est actuellement d'astreinte ?",
        "le compte rendu le plus récent",
        "Quoi de neuf ?",
        "Des nouvelles du projet ?",
        "le guide est-il à jour ?",
        "le menu d’aujourd’hui",
    ],
)
def test_a_question_asks_for_the_latest(question):
    assert asks_for_the_latest(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "leave policy",
        "last week's minutes",
        "the last 3 days",
        "the last few months",
        "who left last Monday",
        "Ada's last name",
        "as a last resort",
        "at last a policy",
        "last",
        "exchange of currency",
        "the newsletter",
        "how do I update the handbook",
        "how recentering works",
        "la semaine dernière",
        "le mois dernier",
        "les trois derniers mois",
        "l'an dernier",
        "le nom de famille, dernier délai",
        "de nouvelles règles",
        "l'actualité juridique",
        "ajouter un jour",
    ],
)
def test_other_questions_do_not(question):
    assert not asks_for_the_latest(question)


@given(st.timedeltas(timedelta(-10_000), timedelta(10_000)), st.timedeltas(timedelta(0), timedelta(100)))
def test_age_costs_a_bounded_share(age, more):
    now, older = kept(NOON - age, NOON, 30), kept(NOON - age - more, NOON, 30)
    assert KEPT <= older <= now <= 1


def test_half_of_it_after_the_half_life():
    assert kept(NOON - timedelta(days=30), NOON, 30) == pytest.approx(KEPT + (1 - KEPT) / 2)
    assert kept(NOON + YEAR, NOON, 30) == 1


OTHERS = [document(f"other{number}", f"About the canteen, part {number}", timestamp=NOON) for number in range(9)]


@pytest.fixture
async def policies(index):
    """The older policy matches a little better, and a note of today not at all well."""
    now = datetime.now(UTC)
    await put(
        index,
        document("old", "The leave policy", timestamp=now - 3 * YEAR),
        document("new", "The leave policy of the company", timestamp=now),
        document("weak", "The policy of the canteen and of many other things that are here", timestamp=now),
        *OTHERS,
        embedder=FakeEmbedder(),
    )
    return index


async def titles(index, query, *, embedder=None, question="", **options):
    search = HybridSearch(index, embedder or FakeEmbedder(), **options).for_audience(EVERYTHING, question=question)
    return [hit.title for hit in (await search.search(query)).hits]


@pytest.mark.parametrize("query", ["latest leave policy", "current leave policy", "dernière leave policy"])
async def test_what_is_new_comes_first_where_the_latest_is_asked_for(policies, query):
    assert await titles(policies, query) == ["new", "old", "weak"]
    assert await titles(policies, query, fresh_days=0) == ["old", "new", "weak"]


async def test_other_questions_are_answered_whatever_the_age(policies):
    assert await titles(policies, "leave policy") == ["old", "new", "weak"]


async def test_what_the_asker_wrote_counts_where_the_query_has_lost_it(policies):
    assert await titles(policies, "leave policy", question="What is our latest leave policy?") == ["new", "old", "weak"]


async def test_the_hits_are_in_the_order_of_their_scores(policies):
    search = HybridSearch(policies, FakeEmbedder()).for_audience(EVERYTHING)
    scores = [hit.score for hit in (await search.search("latest leave policy")).hits]
    assert scores == sorted(scores, reverse=True)


async def test_in_a_range_that_is_past_age_counts_from_its_end(index):
    end = NOON - 5 * YEAR
    await put(
        index,
        document("older", "The leave policy", timestamp=end - YEAR),
        document("newer", "The leave policy of the company", timestamp=end),
        *(replace(other, timestamp=end) for other in OTHERS),
    )
    search = HybridSearch(index).for_audience(EVERYTHING)
    found = await search.search("latest leave policy", time_range=(None, end))
    assert [hit.title for hit in found.hits] == ["newer", "older"]

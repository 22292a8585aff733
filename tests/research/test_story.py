"""The story that must never repeat: sites asked for in French, then the links of those sites."""

from bot.research import WebHit
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hit

SITES = [
    WebHit("CodinGame", "https://www.codingame.com/start", "codingame.com", "", "Programmez en jouant."),
    WebHit("Screeps", "https://screeps.com/", "screeps.com", "", "Un jeu pour programmeurs."),
]
MAIL = hit(
    7, title="Your bank statement", content_snippet="See https://bank.example/login", url="https://mail.example/7"
)
QUESTION = "Quels sites web proposent des jeux de programmation ?"


async def first_question():
    return await play(
        calls(("web_search", {"query": "sites de jeux de programmation"})),
        says("Essayez [CodinGame](https://www.codingame.com/start) [1], Screeps [2] et https://codewars-fr.example/."),
        query=QUESTION,
        web_search=lambda query, recency, news: SITES,
    )


async def test_sites_are_searched_on_the_web_and_real_results_cited():
    played = await first_question()
    assert "search the web first" in played.messages(0)[0].content
    assert [source["url"] for source in played.result.sources] == [site.url for site in SITES]
    assert "codewars-fr" not in played.result.answer
    assert played.result.language == "fr"


async def test_the_follow_up_answers_with_exactly_the_links_of_those_sites():
    first = (await first_question()).result
    history = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": first.answer}]
    links = "; ".join(f"{source['title']}: {source['url']}" for source in first.sources)
    played = await play(
        searches("liens sites"),
        says(
            "Voici : [CodinGame](https://www.codingame.com/start), <https://screeps.com/>, "
            "et votre banque https://bank.example/login ou https://mail.example/7."
        ),
        query="Donne-moi les liens de ces sites",
        search=FakeSearch([MAIL]),
        web_search=lambda query, recency, news: [],
        run={"history": history, "hints": [f"« ces sites » are the sources of the previous answer: {links}"]},
    )
    assert "https://www.codingame.com/start" in played.result.answer
    assert "https://screeps.com/" in played.result.answer
    assert "bank.example" not in played.result.answer
    assert "mail.example" not in played.result.answer
    assert played.result.sources == []


async def test_without_the_web_an_invented_list_is_an_abstention():
    played = await play(searches("jeux"), says("Voici : CodinGame [1], PlayCode [2]."), query=QUESTION)
    assert played.result.answer == "Je n'ai rien trouvé à ce sujet dans les sources consultées."

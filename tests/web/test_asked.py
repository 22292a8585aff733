"""Whether a message asks for the web, and which page it names: the tables, in English and French."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ways import without_model
from bot.web import Asked, asked, asks_for_the_web, links_in

ASKS = [
    "search the web for the latest Python release",
    "Please search the web: who won the race yesterday?",
    "Can you search the internet for a good standing desk?",
    "could you look it up online",
    "look this up on the web please",
    "Look up the current exchange rate on the internet",
    "find me three libraries for PDF on the web",
    "find reviews of that laptop online",
    "check online whether their office is open",
    "check the web for outages of GitHub",
    'do a web search for "falcon 9" prices',
    "Run an internet search on our competitor's pricing",
    "web search: best ramen in Lyon",
    "google it",
    "Google that for me",
    "Summarise our leave policy, and search the web for the legal minimum",
    "use the web",
    "What is the tallest tree? Use the internet.",
    "browse the web for examples",
    "I'd like you to search on the web for GDPR fines",
    "search the web and our docs for the on-call rota rules",
    "With a web search, find the maintainers of aiohttp",
    "don't use the wiki, search the web",
    "cherche sur le web les dernières nouvelles de Python",
    "Cherche sur internet un bon restaurant à Lyon",
    "peux-tu chercher sur le net qui a gagné la course ?",
    "Recherche le prix du cuivre sur le web",
    "regarde en ligne si leur bureau est ouvert",
    "Fais une recherche web sur nos concurrents",
    "fais-moi une recherche sur internet à propos du RGPD",
    "Faites une recherche en ligne, s'il vous plaît",
    "trouve-moi sur la toile trois bibliothèques PDF",
    "Consulte le web pour le minimum légal",
    "va voir sur internet",
    "Vérifie sur le Web que c’est encore vrai",
    "Utilise internet pour répondre",
    "renseigne-toi sur internet",
    "google ça",
    "lance une recherche sur le web",
    "cherche sur google le nom du maire",
    "hey, would you please also search the web for it",
    "Compare our policy with others and search the web for the legal minimum",
    "Answer with a web search",
    "You can search the web if you need to",
    "@Footnote search the web for it",
    "I want you to look on the internet for it",
    "Bonjour, pourrais-tu s'il te plaît regarder sur internet",
    "J'aimerais que tu cherches sur le web",
    "Résume notre politique et cherche sur le web le minimum légal",
]
ASKS_NOT = [
    "What is our leave policy?",
    "who owns the web app?",
    "Where does the web team sit?",
    "how do I search the web logs?",
    "How do users search the web from our product?",
    "Why did Ann search the web for that?",
    "the web search feature is broken",
    "find the meeting notes about web search",
    "Don't search the web, only our documents",
    "answer without searching the web",
    "Please do not look it up online",
    "never use the internet for this",
    "is the shop online?",
    "check the online status of the printer",
    "check our website for typos",
    "find the web-app repository",
    "who found the bug in the internet banking module?",
    "what does our internet access policy say?",
    "Who said `search the web` in the meeting?",
    'what does "search the web" mean in the roadmap?',
    "> search the web for cats\nwhat did she mean by that?",
    "find the Google Drive folder",
    "search the website team's notes",
    "rather than search the web, ask Bob",
    "quelle est notre politique de congés ?",
    "qui s'occupe de l'application web ?",
    "ne cherche pas sur internet",
    "Réponds sans chercher sur le web",
    "N'utilise pas internet",
    "comment nos clients cherchent sur le web ?",
    "cherche dans nos documents internes",
    "où est le site web ?",
    "trouve le compte rendu de la réunion sur le web interne",
    "« cherche sur le web » figure dans la feuille de route",
    "Are we allowed to use the internet for private purposes?",
    "May contractors use the internet at work?",
    "Should employees use Google for translations?",
    "Can our agents browse the web?",
    "Is the new bot able to search the web?",
    "Do you search the web?",
    "Our product can search the web. What does it cost?",
    "Ann told me to search the web for this. Is it in our docs?",
    "the ticket says search the web for cats",
    "I can't search the web from my laptop, whom do I ask?",
    "I cannot browse the internet since this morning",
    "I wouldn't search the web here",
    "You shouldn't search the web for this",
    "you needn't search the web",
    "There is no need for you to search the web",
    "I tried to search the web and found nothing; what do our docs say?",
    "Before I check the web: what do our docs say?",
    "We read a lot about that on the internet; what is our position?",
    "We use Google for mail. Where is the guide?",
    "Find the page on how we rank on the web",
    "what are the rules to use the internet?",
    "find the form that we fill in online",
    "find the online course list",
    "research online communities in our docs",
    "use Google Drive",
    "check google calendar policy",
    "try the internet archive team's door",
    ">>> she wrote\nsearch the web for cats",
    "&gt;&gt;&gt; she wrote\nsearch the web for cats",
    "Peut-on utiliser internet au travail ?",
    "Est-ce que je peux utiliser internet pour des besoins personnels ?",
    "Quelles sont les règles pour utiliser internet ?",
    "Tu utilises internet pour répondre ?",
    "Est-ce que tu cherches sur le web ?",
    "On utilise internet tous les jours, est-ce permis ?",
    "regarde le formulaire en ligne de la RH",
    "",
]


@pytest.mark.parametrize("message", ASKS)
def test_a_phrase_that_asks_for_the_web_does(message):
    assert asks_for_the_web(message)


@pytest.mark.parametrize(
    "message", ["don't search the web ", "don't search the web, ", "how search the web ", "search "]
)
def test_the_longest_message_is_judged_at_once(message):
    began = time.process_time()
    asked(message * (40_000 // len(message)))
    links_in("https://a" + ")" * 39_000)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("message", ASKS_NOT)
def test_words_that_only_speak_of_the_web_do_not(message):
    assert not asks_for_the_web(message)


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("web: latest Python", "latest Python"),
        ("Web : dernières nouvelles", "dernières nouvelles"),
        ("WEB:latest", "latest"),
        ("<@U123> web: latest", "latest"),
        ("<@U123|bot>, web: latest", "latest"),
        ("<@U123> <@U456> web:\nlatest", "latest"),
    ],
)
def test_the_prefix_asks_for_an_answer_from_the_web_and_is_no_part_of_the_question(message, question):
    assert asked(message) == Asked("web", question)


@pytest.mark.parametrize(
    "message", ["the web: a history", "webinar: when?", "web://thing", "web latest", "<#C1|web>: x"]
)
def test_what_only_looks_like_the_prefix_is_none(message):
    assert asked(message) == Asked("documents", message)


LINK = "https://example.com/a"
CASES = [
    pytest.param("What is new?", {}, Asked("documents", "What is new?"), id="a plain question"),
    pytest.param("What is new?", {"command": True}, Asked("web", "What is new?"), id="the command"),
    pytest.param("What is new?", {"thread_asked": True}, Asked("both", "What is new?"), id="a thread of the web"),
    pytest.param("What is new?", {"setting": "on"}, Asked("both", "What is new?"), id="a place with the web on"),
    pytest.param("search the web for x", {}, Asked("both", "search the web for x"), id="a phrase"),
    pytest.param(f"Sum up {LINK}", {}, Asked("web", f"Sum up {LINK}", LINK), id="a link"),
    pytest.param(f"web: {LINK}", {}, Asked("web", LINK, LINK), id="a link behind the prefix"),
    pytest.param(
        f"Sum up {LINK}", {"known_link": True}, Asked("documents", f"Sum up {LINK}"), id="a link that is known"
    ),
    pytest.param(
        f"search the web for more on {LINK}",
        {"known_link": True},
        Asked("both", f"search the web for more on {LINK}"),
        id="a link that is known and a phrase",
    ),
    pytest.param(
        f"Sum up {LINK}", {"known_link": True, "setting": "on"}, Asked("both", f"Sum up {LINK}"), id="known, web on"
    ),
    pytest.param(
        f"web: what changed in {LINK}",
        {"known_link": True},
        Asked("both", f"what changed in {LINK}"),
        id="a link that is known behind the prefix",
    ),
    pytest.param(
        f"Sum up {LINK}", {"known_link": True, "command": True}, Asked("both", f"Sum up {LINK}"), id="known, by command"
    ),
    pytest.param(
        f"Sum up {LINK}",
        {"known_link": True, "thread_asked": True},
        Asked("both", f"Sum up {LINK}"),
        id="known, on in the thread",
    ),
    pytest.param("What is new?", {"setting": "off"}, Asked("documents", "What is new?"), id="off"),
    pytest.param("web: x", {"setting": "off"}, Asked("documents", "x", refused=True), id="off, the prefix"),
    pytest.param(
        "x", {"setting": "off", "command": True}, Asked("documents", "x", refused=True), id="off, the command"
    ),
    pytest.param(
        f"Sum up {LINK}", {"setting": "off"}, Asked("documents", f"Sum up {LINK}", refused=True), id="off, a link"
    ),
    pytest.param(
        f"Sum up {LINK}",
        {"setting": "off", "known_link": True},
        Asked("documents", f"Sum up {LINK}"),
        id="off, a link that is known",
    ),
]


@pytest.mark.parametrize(("message", "given", "expected"), CASES)
def test_what_a_message_asks_for(message, given, expected):
    assert asked(message, **given) == expected


LINKS = [
    ("see <https://ex.com/a?b=1&amp;c=2>.", ["https://ex.com/a?b=1&c=2"]),
    ("<http://google.com|google.com> weather", ["http://google.com"]),
    ("<https://ex.com/p|see https://other.com>", ["https://ex.com/p"]),
    ("<https://evil.example/x|https://bank.com>", ["https://evil.example/x"]),
    ("<mailto:a@b.com|a@b.com> <#C1|general> <@U1> <!here> <!date^1^{date}|x> <tel:+1|+1> <slack://open|x>", []),
    ("(https://ex.com/c). https://ex.com/a_(b)", ["https://ex.com/c", "https://ex.com/a_(b)"]),
    ("a &lt;https://ex.com/z&gt; b", ["https://ex.com/z"]),
    ("*<https://ex.com>*", ["https://ex.com"]),
    ("HTTP://EX.com/A", ["HTTP://EX.com/A"]),
    ("<https://ex.com/a%20b?x=%7C1|t>", ["https://ex.com/a%20b?x=%7C1"]),
    ("use https:// always", []),
    ("file:///etc/passwd", []),
    ("node.js v1.2.3 example.com", []),
    ("「https://ex.com/日本」です", ["https://ex.com/日本"]),
    ("https://ex.com/「a」b」", ["https://ex.com/「a」b"]),
    ("見て（https://ex.com/a）！", ["https://ex.com/a"]),
    ("https://ex.com/a?b=1&amp;c=2, and more", ["https://ex.com/a?b=1&c=2"]),
    ("https://ex.com/a,b;c", ["https://ex.com/a,b;c"]),
    ('_https://ex.com/a_ and "https://ex.com/b"', ["https://ex.com/a", "https://ex.com/b"]),
    ("https://ex.com/a https://ex.com/a <https://ex.com/a>", ["https://ex.com/a"]),
    ("https://ex.com/1 <https://ex.com/2> https://ex.com/3", [f"https://ex.com/{n}" for n in (1, 2, 3)]),
    ("http://[::1 and https://ex.com/", ["https://ex.com/"]),
    ("https://ex.com/a…", ["https://ex.com/a"]),
    ("[text](https://ex.com/a)", ["https://ex.com/a"]),
    ("`https://code.example/` and https://ex.com/", ["https://ex.com/"]),
    ("what is `https://code.example/`?", ["https://code.example/"]),
    ("> https://quoted.example/\nsee https://ex.com/", ["https://ex.com/"]),
    ("&gt; https://quoted.example/\nsum that up", ["https://quoted.example/"]),
    ("", []),
]


@pytest.mark.parametrize(("message", "links"), LINKS)
def test_the_links_of_a_message(message, links):
    # slackapi/bolt-python#322, slackapi/hubot-slack#109, go-chat-bot/bot#64, mattmakai/fullstackpython.com#150
    assert links_in(message) == links


pieces = st.sampled_from(
    ["<", ">", "|", "&amp;", "https://", "ex.com", "/a", "(", ")", "」", "`", "\n", " ", "@U1", ".", "[::"]
)


@settings(max_examples=300)
@given(st.lists(pieces, max_size=12).map("".join) | st.text(max_size=60))
def test_any_message_is_read_and_every_link_is_one(message):
    for link in links_in(message):
        assert link.lower().startswith(("http://", "https://"))
        assert not set(link) & set("<> \n")
    assert asked(message, setting="off").way == "documents"


@pytest.mark.parametrize(
    "message", ["search " * 20_000, "cherche " * 20_000 + "sur", "<@U1> " * 20_000, "https://" * 9_000]
)
def test_a_long_message_takes_no_long_time(message):
    import time

    began = time.perf_counter()
    asked(message)
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    ("message", "setting", "way"),
    [
        ("Search the web for Falcon 2", "on request", "web"),
        ("What is Falcon 2?", "on", "both"),
        ("What is Falcon 2?", "on request", "documents"),
    ],
)
def test_without_a_model_who_asks_for_the_web_gets_what_the_web_says(message, setting, way):
    assert without_model(asked(message, setting=setting)).way == way

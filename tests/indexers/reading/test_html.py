import pytest

from indexers.reading import Unreadable
from indexers.reading.html import read_html

PARAGRAPH = "This is a paragraph of an article, with words enough to be taken for one by any reader of it."
ARTICLE = "".join(f"<p>{number}. {PARAGRAPH}</p>" for number in range(20))
SOME = "".join(f"<p>{number}. {PARAGRAPH} It is one of some.</p>" for number in range(4))


def page(body, title="A page", head=""):
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


def wall(body, title="A page", head=""):
    with pytest.raises(Unreadable) as unreadable:
        read_html(page(body, title, head), web=True)
    return unreadable.value.kind


def test_title_headings_lists_tables_and_code_are_kept():
    extracted = read_html(
        page(
            f"<article><h1>Head</h1>{SOME}<h2>Sub</h2><ul><li>first thing</li><li>second thing</li></ul>"
            "<table><tr><th>name</th><th>age</th></tr><tr><td>Ann</td><td>7</td></tr></table>"
            f"<pre><code>x = 1\ny = 2</code></pre>{SOME}</article>",
            title="The \n title",
        ),
        web=True,
    )
    assert extracted.title == "The title"
    assert "# Head" in extracted.text
    assert "## Sub" in extracted.text
    assert "- first thing" in extracted.text
    assert "Ann | 7" in extracted.text
    assert "x = 1\ny = 2" in extracted.text
    assert extracted.notes == ()


def test_words_stand_as_on_the_page():
    body = (
        f"{SOME}<p>3. snake_case *and* [a](b) &lt;tag&gt; <code>a\\_b</code></p><pre>x\\_y\nz</pre><p># no heading</p>"
    )
    text = read_html(page(body), web=True).text
    assert "3. snake_case *and* [a](b) <tag> `a\\_b`" in text
    assert "x\\_y\nz" in text
    assert "\n# no heading" not in text


def test_no_address_in_the_page_comes_with_the_text():
    body = f"{SOME}<p>See <a href='javascript:x()'>this</a> and <img src='http://evil/x.png?a' alt=y>.</p>{SOME}"
    text = read_html(page(body), web=True).text
    assert "See this and" in text
    assert "evil" not in text
    assert "javascript:" not in text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"<p>Hello</p>", "Hello"),
        (b"Hello", "Hello"),
        (b"<html><body>Hello</body></html>", "Hello"),
        (b"<p>Hello <b>you</b></p><p>there</p>", "Hello you\nthere"),
        (b"<table><tr><td>a</td><td>b</td></tr></table>", "a\nb"),
    ],
)
def test_a_tiny_page_is_read_whole(body, text):
    assert read_html(body, web=True).text == text


def test_a_title_is_found_wherever_it_is():
    assert read_html(b"<meta property='og:title' content='There'><p>x</p>", web=True).title == "There"
    assert read_html(b"<h1>Head</h1><p>x</p>", web=True).title == "Head"
    assert read_html(b"<p>x</p>", web=True).title == ""


@pytest.mark.parametrize("body", ["", "   ", "<p hidden>secret</p>", "<!-- x -->"])
def test_a_page_without_text_is_empty(body):
    assert wall(body) == "empty"
    with pytest.raises(Unreadable) as unreadable:
        read_html(body.encode(), web=False)
    assert unreadable.value.kind == "empty"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Just a moment...", "<h1>example.com</h1><p>Verifying you are human. This may take a few seconds.</p>"),
        ("Just a moment...", "<noscript>Enable JavaScript and cookies to continue</noscript><script src=/cdn-cgi/x>"),
        ("Attention Required! | Cloudflare", "<h1>Sorry, you have been blocked</h1><p>Ray ID: 1</p>"),
        ("Pardon Our Interruption", "<p>As you were browsing something made us think you were a bot.</p>"),
        ("Access Denied", "<h1>Access Denied</h1><p>You don't have permission to access this page.</p>"),
        ("example.com", "<script src='https://geo.captcha-delivery.com/captcha/?x'></script><p>Please wait</p>"),
        ("Robot Check", "<p>Enter the characters you see below</p><form><input name=captcha></form>"),
        ("Un instant…", "<script src=https://challenges.cloudflare.com/x></script><p>Vérification</p>"),
        ("Google", "<p>Our systems have detected unusual traffic.</p><div class=g-recaptcha></div>"),
    ],
)
def test_a_test_against_robots_is_named(title, body):
    assert wall(body, title) == "captcha"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Sign in · Example", "<form><input name=email><button>Next</button></form><p>New here? Join.</p>"),
        ("Example", "<form>User <input> Password <input type=PASSWORD></form>"),
        ("Connexion | Exemple", "<p>Identifiez-vous</p>"),
        ("A group", "<p>You must log in to continue.</p>"),
    ],
)
def test_a_login_is_named(title, body):
    assert wall(body, title) == "login"


@pytest.mark.parametrize(
    "body",
    [
        "<noscript>You need to enable JavaScript to run it.</noscript><div id=root></div><script src=a.js></script>",
        "<div id=root></div><script src=a.js></script>",
        "<div id=__next><p>Loading…</p></div><script>x()</script>",
        "<p>This site requires JavaScript.</p>",
        "<p>JavaScript is disabled in your browser.</p>",
        "<style>body *{display:none}</style><div><p>All of it</p></div><script>show()</script>",
    ],
)
def test_a_page_that_is_a_program_is_named(body):
    assert wall(body) == "javascript"


FREE = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":%s}</script>'


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (FREE % "false", ARTICLE),
        (FREE % '"False"', SOME),
        (FREE % '"True","hasPart":{"isAccessibleForFree":false}', ARTICLE),
        ('<script type="application/ld+json">{"@graph":[{"isAccessibleForFree":false}]}</script>', ARTICLE),
        ("", f"{SOME}<p>Subscribe to continue reading.</p>"),
        ("", f"{SOME}<p>Cet article est réservé aux abonnés.</p>"),
    ],
)
def test_a_page_for_subscribers_gives_its_free_part_and_says_so(head, body):
    extracted = read_html(page(body, head=head), web=True)
    assert extracted.notes == ("paywall",)
    assert "3. This is a paragraph" in extracted.text


def test_a_page_for_subscribers_without_a_free_part_is_named():
    assert wall("<p hidden>x</p>", head=FREE % "false") == "paywall"


@pytest.mark.parametrize(
    ("title", "body", "head"),
    [
        ("What is a captcha? Access denied and just a moment", ARTICLE, ""),
        ("News", f"{ARTICLE}<form>Log in <input type=password></form>", ""),
        ("News", f"{ARTICLE}<div class=g-recaptcha></div><script src=/cdn-cgi/challenge-platform/h/x></script>", ""),
        ("How to log in to continue", ARTICLE, ""),
        (
            "An app",
            f"<div id=root>{ARTICLE}</div><noscript>Please enable JavaScript.</noscript><script src=a></script>",
            "",
        ),
        ("News", f"{SOME}<p>Subscribe to continue</p>{ARTICLE}", ""),
        ("News", ARTICLE, FREE % "true"),
        ("News", ARTICLE, '<script type="application/ld+json">{broken</script>'),
        ("News", ARTICLE, f'<script type="application/ld+json">{"[" * 100_000}</script>'),
        ("Short", "<p>A short page that is all there is.</p><script src=a></script>", ""),
        ("Forum", "<table>" + f"<tr><td>Ann</td><td>{PARAGRAPH}</td></tr>" * 30 + "</table>", ""),
    ],
)
def test_a_page_that_only_mentions_a_wall_is_a_page(title, body, head):
    extracted = read_html(page(body, title, head), web=True)
    assert extracted.notes == ()
    assert extracted.text


def test_a_file_is_no_wall():
    for title, body in (("Sign in", "<p>How to sign in</p>"), ("x", "<p>JavaScript is required</p>")):
        assert read_html(page(body, title), web=False).text


def test_a_page_made_to_take_long_is_not_parsed():
    for body in ("<p " + " ".join(f"a{n}=1" for n in range(3_000)), "<p a='" + "x" * 70_000 + "'>", "<b>" * 200_001):
        assert wall(body) == "too_heavy"


def test_pictures_in_the_page_itself_do_not_make_it_heavy():
    picture = f"<img src='data:image/png;base64,{'A' * 100_000}'>"
    drawing = f'<svg><path d="{"M 1 2 L 3 4 " * 2_000}"/></svg>'
    assert "19. This" in read_html(page(ARTICLE + picture + drawing), web=True).text

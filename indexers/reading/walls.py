"""Tells a page from what some sites show in its place: a test against robots, a login, a program, a subscription.

No I/O.  Marks alone prove nothing, since an article may tell of captchas and a page may hold a login box: a wall is a
page with such a mark and hardly any text.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Wall: TypeAlias = Literal["captcha", "login", "javascript"]

SHORT = 200
"""Characters: a page with less is hardly one."""
_NEXT_TO_NOTHING = 600
A_PAGE = 1_200
"""Characters: a page with more is one, whatever marks it has."""

_ROBOT_TITLE = re.compile(
    r"just a moment|attention required|pardon our interruption|are you (?:a )?(?:human|robot)|robot check"
    r"|bot verification"
    r"|verify(?:ing)? (?:that )?you are (?:a )?human|human verification|security check|checking your browser"
    r"|ddos-guard|captcha|access denied|access to this page has been denied|un instant|vérification",
    re.IGNORECASE,
)
_ROBOT_MARK = re.compile(
    r"cf-chl|cf_chl|challenges\.cloudflare\.com|/cdn-cgi/challenge-platform/h/|captcha-delivery\.com|px-captcha"
    r"|perimeterx|_incapsula_resource|geo\.captcha|g-recaptcha|h-captcha|hcaptcha\.com|recaptcha/api|awswafcaptcha"
    r"|ddos-guard|akamai.{0,40}sec-if-cpt",
    re.IGNORECASE,
)
_ROBOT_TEXT = re.compile(
    r"enable javascript and cookies to continue|unusual traffic|not a robot|are (?:a )?human|you are human"
    r"|pas un robot|complete the (?:captcha|security check)|checking your browser",
    re.IGNORECASE,
)
_LOGIN_TITLE = re.compile(
    r"^\W*(?:sign ?in|log ?in|login|sign ?on|single sign-on|authenti\w+|connexion|se connecter|anmelden"
    r"|iniciar sesión)\b",
    re.IGNORECASE,
)
_LOGIN_TEXT = re.compile(
    r"(?:sign|log) ?in to (?:continue|view|see|read|access)|you (?:must|need to) (?:be logged|log|sign) ?in"
    r"|connectez-vous pour|vous devez (?:être connecté|vous connecter)",
    re.IGNORECASE,
)
_PROGRAM_TEXT = re.compile(
    r"(?:enable|turn on|activate|requires?|needs?|without|activer|activez) (?:your |browser )?javascript"
    r"|javascript (?:is |to be |must be |has been )?(?:disabled|required|enabled|désactivé|requis)",
    re.IGNORECASE,
)
_ROOTS = ("root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "application", "ember-app")
_PAID_TEXT = re.compile(
    r"subscribe (?:now )?to (?:continue|read|keep reading|unlock)|subscribe for full access|already a subscriber"
    r"|this (?:article|content|story) is (?:only |reserved )?for (?:paying )?(?:subscribers|members)"
    r"|to continue reading|réservé aux? abonnés|abonnez-vous pour|il (?:vous )?reste \d+ ?% de cet article"
    r"|jetzt weiterlesen|mit (?:plus|abo) lesen",
    re.IGNORECASE,
)
_PAID_WITHIN = 500


@dataclass(frozen=True, slots=True)
class Marks:
    """What a page shows of walls before anything is taken out of it."""

    robots: bool
    """Loads a test against robots."""
    password: bool
    """Asks for a password."""
    program: bool
    """Has a place that only its program fills, or says so."""
    scripts: bool
    paid: bool
    """Says of itself that it is not free."""


def marks(root: Any, source: str) -> Marks:
    scripts = bool(root.xpath("//script[(@src or string-length(.) > 0) and not(contains(@type, 'json'))]"))
    return Marks(
        robots=bool(_ROBOT_MARK.search(source)),
        password=bool(root.xpath("//input[translate(@type, 'PASWORD', 'pasword')='password']")),
        program=_needs_program(root, scripts),
        scripts=scripts,
        paid=any(_says_not_free(data) for data in _linked_data(root)),
    )


def wall(marks: Marks, title: str, article: str, visible: str) -> Wall | None:
    """What stands in place of a page, whose `article` is what was found to be its text, of all that is `visible`."""
    if len(article) >= A_PAGE:
        return None
    if _is_for_robots(marks, title, visible):
        return "captcha"
    if _is_login(marks, title, article, visible):
        return "login"
    empty = len(article) < SHORT and len(visible) < _NEXT_TO_NOTHING
    asks = marks.program or bool(_PROGRAM_TEXT.search(visible)) or (marks.scripts and not visible)
    return "javascript" if empty and asks and not marks.paid else None


def ends_before_its_end(text: str) -> bool:
    """Whether the text ends where a subscription begins."""
    return bool(_PAID_TEXT.search(text[-_PAID_WITHIN:]))


def _is_for_robots(marks: Marks, title: str, visible: str) -> bool:
    named, asked = bool(_ROBOT_TITLE.search(title)), bool(_ROBOT_TEXT.search(visible))
    if marks.robots:
        return named or asked or len(visible) < SHORT
    return named and (asked or len(visible) < _NEXT_TO_NOTHING)


def _is_login(marks: Marks, title: str, article: str, visible: str) -> bool:
    if _LOGIN_TITLE.search(title) or (_LOGIN_TEXT.search(visible) and len(article) < _NEXT_TO_NOTHING):
        return True
    return marks.password and len(article) < _NEXT_TO_NOTHING and len(visible) < 2 * A_PAGE


def _needs_program(root: Any, scripts: bool) -> bool:
    if any(_PROGRAM_TEXT.search(node.text_content()) for node in root.xpath("//noscript")):
        return True
    places = [node for name in _ROOTS for node in root.xpath("//*[@id=$id]", id=name)]
    return scripts and any(len(node.text_content().strip()) < SHORT // 4 for node in places)


def _linked_data(root: Any) -> Iterator[Any]:
    for script in root.xpath("//script[@type='application/ld+json']"):
        try:
            yield json.loads(script.text or "null")
        except (ValueError, RecursionError):
            continue


def _says_not_free(data: Any) -> bool:
    """Whether an article of the data, not a part or a neighbour of it, is not free."""
    waiting = [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            if str(one.get("isAccessibleForFree", "")).lower() == "false":
                return True
            waiting += [one.get("@graph"), one.get("mainEntity"), one.get("hasPart")]
    return False

"""The last parts of names that make a word with dots an address."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PUBLIC = _words(
    "com org net edu gov mil io dev app ai co info biz me xyz site online shop tech cloud blog wiki club vip icu "
    "mobi asia aero coop travel museum jobs academy agency digital guru ninja website example invalid localhost "
    "onion test ae au br bg ca ch cl cn cz de dk ee es eu fi fm fr gg gr hk hu ie it jp kr kz lv ly mx nl nz pe pt "
    "ro ru se sg tv tw ua uk us uy vn za рф укр бел срб 中国 中國 公司 网络 한국 भारत"
)
"""Top-level domains: a bare name that ends in one is an address."""
PUBLIC_WITH_A_PATH = _words(
    "ac ad af ag al am ao ar at aw ax az ba bb bd be bf bh bi bj bm bo bs bt bw by bz cc cd cf cg ci ck cm cr cu cv "
    "cw cy dj dm do dz ec eg et fj fk fo ga gd ge gf gh gi gl gm gn gp gq gt gu gw gy hm hn hr ht id il im in iq ir "
    "is je jm jo ke kg kh ki km kn kp kw ky la lb lc li lk lr ls lt lu ma mc md mg mk ml mm mo mp mq mr ms mt mu mv "
    "mw my mz na nc ne nf ng ni no np nr nu om pa pf pg ph pk pl pm pn pr ps pw py qa re rs rw sa sb sc sd sh si sk "
    "sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tz ug uz va vc ve vg vi vu wf ws ye "
    "yt zm zw name int pro top cat post tel run date now link page click live work works world today life space "
    "host press email media network news zone one fun bio team tools support systems services software solutions "
    "store stream video games game download review science men win bid trade loan racing party zip mov foo new how "
    "day channel chat city codes community company design directory finance group help house id land law market "
    "money photo photos pictures pizza plus pub rest school social studio style taxi team training university vote "
    "watch"
)
"""Top-level domains that are endings of files or words of code too (`README.md`, `asyncio.run`)."""
CODE = _words(
    "self this cls app api apps auth user users team teams bot bots file files group groups usergroup usergroups "
    "channel channels conversations chat im mpim reactions log logger logging console request response req res "
    "event message msg config settings options args obj object item node doc document window data df ctx context "
    "state client server session args opts os sys np pd torch"
)
"""First words of code (`users.info`, `self.app`), so that the two words are no address."""
CALLS = _words("app info invalid io it me site test")
"""Of the public ones, those that a function may be called; with `(` behind it, the name is code."""

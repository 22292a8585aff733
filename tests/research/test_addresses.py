"""What is an address, and what only looks like one."""

import pytest

from bot.research.links import gate_links, urls_in

NO_ADDRESS = [
    "README.md, setup.py, node.js, main.rs, config.sh, a.so and config.toml",
    "asyncio.timeout, asyncio.run(main()), os.path.join, bot.store, self.app, users.info, auth.test",
    "e.g. this, i.e. that, p.ex. ceci, z.B. das, v1.2.3, 1.2.3.4, Ph.D. and a.m.",
    "Fin.Il est tard. ASP.NET and Socket.IO",
    "bob@example.com writes to ann.lee@mail.example.org, git@github.com:a/b.git",
    "if a < b and c > d: List<String> or <T> or <std::string>; x // y; use <br>",
    "http://, https:// and http://<host>:9200, localhost:11434",
    "<!channel> <@U123> <#C1|general>",
    "[x] [ ] [1] [2024] a[0] (b) [label] [Note]: see below",
    "Ünïcödé, 中文。句子 and 🇫🇷",
    "| a | b |\n|---|---|\n| 1 | 2 |",
]


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_files_code_and_mail_addresses_are_no_addresses(text):
    assert gate_links(text, ()) == text


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://a.example/b. And (https://c.example/F_(d)), <https://e.example/?a=1&amp;b=2|label>",
         ["https://a.example/b", "https://c.example/F_(d)", "https://e.example/?a=1&b=2"]),
        ("`https://a.example` and [x](https://b.example/c)", ["https://a.example", "https://b.example/c"]),
        ("www.a.com, b.com/c and bob@d.com", ["https://www.a.com", "https://b.com/c"]),
        ("twice https://a.example/b https://a.example/b!", ["https://a.example/b"]),
        ("nothing here, e.g. README.md", []),
    ],
)  # fmt: skip
def test_the_addresses_that_a_person_wrote_are_found(text, urls):
    assert urls_in(text) == urls

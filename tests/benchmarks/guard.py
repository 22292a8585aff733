"""What must not be asked is refused before anything is resolved or sent, and what may be asked passes."""

import asyncio
import ipaddress
import sys

from indexers.reading import Refused, fetch
from indexers.reading.addresses import is_public
from indexers.reading.guard import Guard
from tests.benchmarks.table import Row, show
from tests.fakes.site import Names, serve_site
from tests.indexers.reading.vectors import BLOCKED_URLS, CLOSED_ADDRESSES, OPEN_ADDRESSES, OPEN_URLS

LOCATIONS = ("http://10.0.0.1/", "//169.254.169.254/", "file:///etc/passwd", "//user:pw@example.com/", "http://[::1]/")


def run() -> list[Row]:
    return asyncio.run(_measured())


async def _measured() -> list[Row]:
    network: list[str] = []
    sys.addaudithook(lambda event, _: network.append(event) if event == "socket.connect" else None)
    urls = [await _refused(url, Names()) for url in BLOCKED_URLS]
    names = [await _refused_name(address) for address in CLOSED_ADDRESSES]
    sent = len(network)
    hops = await _refused_hops()
    return [
        _all("must-block URLs, refused", urls),
        _all("names of must-block addresses, refused", names),
        Row("connections made for either", f"{sent}", "0", sent == 0),
        _all("redirects to must-block URLs, refused", hops),
        _all("must-pass URLs, passed", [_passes(url) for url in OPEN_URLS]),
        _all("must-pass addresses, passed", [is_public(ipaddress.ip_address(text)) for text in OPEN_ADDRESSES]),
    ]


async def _refused(url: str, resolver: Names, **options: frozenset[tuple[str, int]]) -> bool:
    try:
        await fetch(url, resolver=resolver, **options)
    except Refused:
        return not resolver.asked or url.startswith("http://name.example")
    return False


async def _refused_name(address: str) -> bool:
    names = Names()
    names.set("name.example", ["93.184.216.34", address])
    return await _refused("http://name.example/", names)


async def _refused_hops() -> list[bool]:
    async with serve_site() as site:
        for number, location in enumerate(LOCATIONS):
            site.redirects(f"/{number}", to=location)
        return [await _refused(site.at(f"/{number}"), Names(), allow=site.allow) for number in range(len(LOCATIONS))]


def _passes(url: str) -> bool:
    try:
        return bool(Guard().check_url(url))
    except Refused:
        return False


def _all(what: str, results: list[bool]) -> Row:
    return Row(what, f"{sum(results)} of {len(results)}", "all", all(results))


if __name__ == "__main__":
    sys.stdout.write(show(run()) + "\n")

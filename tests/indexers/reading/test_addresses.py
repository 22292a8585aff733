import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.reading.addresses import is_public, parse_address
from tests.indexers.reading.vectors import CLOSED_ADDRESSES, OPEN_ADDRESSES


@pytest.mark.parametrize("text", CLOSED_ADDRESSES)
def test_an_address_inside_a_network_is_not_public(text):
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", OPEN_ADDRESSES)
def test_an_address_of_the_internet_is_public(text):
    assert is_public(ipaddress.ip_address(text))


@given(st.ip_addresses())
def test_nothing_is_public_that_the_standard_library_calls_private_or_loopback(address):
    if address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified:
        assert not is_public(address)
    mapped = getattr(address, "ipv4_mapped", None)
    if address.is_private and not mapped:
        assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_ipv4_written_as_ipv6_is_as_public_as_itself(address):
    for text in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert is_public(ipaddress.ip_address(text)) == is_public(address)
    for text in (f"::{address}", f"::ffff:0:{address}", f"64:ff9b:1::{address}", f"2606:4700::5efe:{address}"):
        assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["", "example.com", "fe80::1%lo", "127.1", "010.0.0.1", "2130706433", "1.2.3.4 "])
def test_only_a_canonical_address_is_one(text):
    assert parse_address(text) is None

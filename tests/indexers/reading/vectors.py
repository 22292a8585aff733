"""What must be refused before a byte is sent, and what must pass."""

_BLOCKED = r"""
http://127.0.0.1/ http://127.1/ http://2130706433/ http://0x7f000001/ http://0x7f.1/ http://0177.0.0.1/
http://017700000001/ http://127.0.0.1./ http://127。0。0。1/ http://①②⑦.⓪.⓪.①/ http://１２７.０.０.１/ http://[::1]/
http://[::]/ http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[::127.0.0.1]/ http://[::ffff:0:127.0.0.1]/
http://[64:ff9b::7f00:1]/ http://[64:ff9b:1::a9fe:a9fe]/ http://[2002:7f00:1::]/ http://[fe80::1%25lo]/
http://[fe80::1%lo]/ http://[2606:4700::5efe:192.168.1.1]/ http://0/ http://0.0.0.0/ http://localhost/
http://LOCALHOST./ http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/ http://foo.localhost/ http://intranet/ http://169.254.169.254/
http://0251.0376.0251.0376/ http://0xA9FEA9FE/ http://2852039166/ http://100.100.100.200/ http://168.63.129.16/
http://[fd00:ec2::254]/ http://metadata.google.internal/ http://metadata/ http://instance-data/
http://instance-data.ec2.internal/ http://kubernetes.default/ http://kubernetes.default.svc/
http://kubernetes.default.svc.cluster.local/ http://10.0.0.12/ http://172.31.0.1/ http://100.64.0.1/
http://198.18.0.1/ http://224.0.0.1/ http://user:pw@example.com/ http://user@example.com/ http://@example.com/
http://:@example.com/ http://example.com@127.0.0.1/ http://example.com\@127.0.0.1/ http://example.com\x
http://127.0.0.1:22/ http://example.com:0/ http://example.com:6379/ http://example.com:8080/
http://example.com:65536/ http://example.com:x/ http://exa%00mple.com/ http://ex%61mple.com/ http://[v1.a]/
http:///x http:/x http:x http:// //example.com/ example.com x
file:///etc/passwd ftp://x/ ftp://example.com/ gopher://127.0.0.1:70/ data:text/html,x javascript:alert(1)
jar:http://x!/ dict://example.com/ ldap://example.com/ s3://bucket/x gs://bucket/x
blob:https://example.com/1 view-source:http://example.com/
http://printer.local/ http://x.localdomain/ http://wiki.corp/ http://a.lan/ http://a.home/ http://a.home.arpa/
http://1.0.0.127.in-addr.arpa/ http://a.private/ http://a.test/ http://a.invalid/ http://a.onion/
http://a.intranet/ http://a..example.com/ http://.example.com/ http://-a.example.com/
http://1.2.3/ http://1.2.3.4.5/ http://256.256.256.256/ http://1.2.3.0x4/ http://example.0/
http://1.1.1.1&@2.2.2.2#@3.3.3.3/ http://example.com#@127.0.0.1@/\ https://example.com/\evil
"""
BLOCKED_URLS = [
    *_BLOCKED.split(),
    "",
    " ",
    " http://example.com/",
    "http://example.com/ ",
    "http://exa mple.com/",
    "http://example.com/a b",
    "http://exam\tple.com/",
    "http://example.com/\r\nX: y",
    "http://127.0.0.1\r\nX: y",
    "http://example.com/\x00",
    "http://example.com/\x7f",
    "http://example.com/\u00a0",
    "http://example.com/\u2028",
    "http://example.com/\ud800",
    "http://exam\u200bple.com/",
    "http://exam\u202eple.com/",
    "http://exam\u00adple.com/",
    "http://1.1.1.1 &@2.2.2.2# @3.3.3.3/",
    "http://example.com/" + "a" * 2030,
    "http://" + "a" * 64 + ".example.com/",
    "http://" + "a." * 130 + "com/",
]
_OPEN_URLS = """
http://8.8.8.8/ https://example.com:443/a?b=1 https://bücher.example/ http://[2606:4700:4700::1111]/
http://example.com HTTP://EXAMPLE.com/ https://example.com. https://example.com/a%20b?q=C%2B%2B%26x#part
https://en.wikipedia.org/wiki/Café_(disambiguation) https://example.com/日本 https://a_b.example.com/
https://xn--bcher-kva.example/ https://example.com/@user/@other https://example.com/?next=http://127.0.0.1/
https://example.com:443/ http://example.com:80/ https://localhost.example.com/ https://2130706433.example.com/
http://[::ffff:8.8.8.8]/ https://x.example.test-site.com/
"""
OPEN_URLS = _OPEN_URLS.split()

_CLOSED_ADDRESSES = """
    0.0.0.0 0.1.2.3 10.0.0.12 10.255.255.255 100.64.0.1 100.127.255.255 100.100.100.200 127.0.0.1 127.255.255.254
    169.254.0.23 169.254.42.42 169.254.169.254 169.254.170.2 169.254.170.23 172.16.0.1 172.31.0.1 172.31.255.255
    192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
    :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:168.63.129.16
    ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe 64:ff9b:1::1 100::1 100:0:0:1::1
    2001::1 2001:0:1:2::3 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1 3fff::1
    5f00::1 fc00::1 fd00::1 fe80::1 fec0::1 ff02::1 2606:4700::5efe:192.168.1.1 2606:4700::200:5efe:c0a8:101
    fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42 4000::1 8000::1
"""
CLOSED_ADDRESSES = _CLOSED_ADDRESSES.split()
_OPEN_ADDRESSES = """
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255
    192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
    2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4007:80e::200e ::ffff:8.8.8.8 64:ff9b::808:808
"""
OPEN_ADDRESSES = _OPEN_ADDRESSES.split()

# Verifies the DKIM and ARC signatures of the messages in these files: `verify.py PORT-OF-DNS FILE...`
import sys

import dkim
import dns.resolver

resolver = dns.resolver.Resolver(configure=False)
resolver.nameservers = ["127.0.0.1"]
resolver.port = int(sys.argv[1])


def txt(name, timeout=5):
    try:
        answer = resolver.resolve(name.decode() if isinstance(name, bytes) else name, "TXT", lifetime=60)
    except dns.resolver.NXDOMAIN:
        return None
    return b"".join(answer[0].strings)


for file in sys.argv[2:]:
    with open(file, "rb") as handle:
        message = handle.read()
    signed = b"dkim-signature:" in message.lower()
    try:
        verified = dkim.verify(message, dnsfunc=txt)
    except dkim.DKIMException:
        verified = False
    arc, _, _ = dkim.arc_verify(message, dnsfunc=txt)
    print("none" if not signed else "pass" if verified else "fail", (arc or b"fail").decode())

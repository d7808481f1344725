"""Thousands of anonymous posts, each with a long string that never came before, at all that keeps
something for those who are unknown: what it remembers of them has a size."""

import concurrent.futures
import itertools
import threading
import time

from draft import Wire, in_body
from measuring import forget_peak, memory
from shapes import TEXTS, again

# (path, parameter, text): used in turn. To flood another, add it here. The first ones are client ids and
# names, which the limits count by; the quick form sends only those.
FLOODS = [
    ("protocol/openid-connect/token", "client_id", "one letter"),
    ("protocol/openid-connect/revoke", "client_id", "one letter"),
    ("protocol/openid-connect/ext/par/request", "client_id", "one letter"),
    ("protocol/openid-connect/token", "client_secret", "one letter"),
    ("protocol/openid-connect/token/introspect", "client_id", "one letter"),
    ("protocol/openid-connect/token", "code", "one letter"),
    ("protocol/openid-connect/token", "refresh_token", "one letter"),
    ("protocol/openid-connect/logout", "refresh_token", "one letter"),
    ("protocol/openid-connect/userinfo", "access_token", "dots"),
    ("login-actions/authenticate", "username", "one letter"),
    ("login-actions/authenticate", "request", "one letter"),
    ("login-actions/reset-credentials", "email", "at signs"),
    ("login-actions/new-password", "key", "one letter"),
    ("account/sign-in", "username", "one letter"),
    ("/v1/auth/token", "code", "one letter"),
    ("/v1/auth/token", "app", "one letter"),
    ("/v1/auth/refresh", "refresh_token", "dots"),
    ("/v1/auth/google/native", "nonce", "one letter"),
    ("/v1/auth/google/native", "id_token", "a JWT with a long kid"),
    ("/v1/auth/google/backchannel-logout", "logout_token", "a JWT with a long kid"),
    ("/v1/auth/facebook/deauthorize", "signed_request", "dots"),
    ("/v1/auth/apple/callback", "state", "one letter"),
]
IDENTITIES = 5
CONNECTIONS = 8
LONGEST = 300


def drafts(addresses, floods):
    """The posts, each an endless series of drafts."""
    texts = {text.name: text for text in TEXTS}
    for path, parameter, name in floods:
        for one in addresses:
            if one.method == "POST" and one.path.endswith(path) and parameter in one.names("body"):
                yield one, parameter.encode(), texts[name]
                break


def run(server, addresses, posts, quick):
    """Sends them and says what they took; returns what memory grew by, and the most, in MB."""
    sorts = list(drafts(addresses, FLOODS[:IDENTITIES] if quick else FLOODS))
    for one, _, _ in sorts:
        one.prepare()
    before = memory(server.running)
    forget_peak(server.running)
    end = time.monotonic() + LONGEST
    numbers, lock, sent = itertools.count(), threading.Lock(), itertools.count()

    def work(_):
        wire = Wire(server.port, 60)
        while time.monotonic() < end:
            with lock:
                number = next(numbers)
            if number >= posts or not sorts:
                break
            one, parameter, text = sorts[number % len(sorts)]
            draft = one.draft()
            draft.form = [pair for pair in draft.form if pair[0] != parameter]
            # Different from its first bytes on, and in its length.
            value = b"%d" % number + in_body(text.of(58_000 - number % 8))
            room = draft.room("body") - len(parameter) - 2
            draft.form.append((parameter, value[:room] if text.is_escaped is False else again(value, room)))
            wire.send(draft)
            next(sent)
        wire.close()

    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(work, range(CONNECTIONS)))
    took, count = time.monotonic() - begin, next(sent)
    peak, after = memory(server.running, "VmHWM"), memory(server.running)
    print(f"\n{count:,} of {posts:,} posts of 60 kB, each another, in {took:.0f} s "
          f"({count / took:,.0f}/s, {CONNECTIONS} connections)")  # fmt: skip
    print(f"memory  {before:,.0f} MB before, {peak:,.0f} MB at most (VmHWM), {after:,.0f} MB after")
    return peak - before, peak

"""What schemathesis does before each request: it comes from an address of its own, so that the rate
limits, which have tests elsewhere, do not hide all other answers."""

import itertools

import schemathesis

_numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(_numbers) % (1 << 16)
    # RFC 2544 §C.2.2: for measurements, nobody's.
    address = f"198.18.{number >> 8}.{number & 255}"
    case.headers["X-Forwarded-For"] = address

"""What schemathesis does before each request: it comes from an address of its own, so that the rate
limits, which have tests elsewhere, do not hide all other answers."""

import itertools

import schemathesis
from schemathesis.specs.openapi.checks import content_type_conformance

_numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(_numbers) % (1 << 16)
    # RFC 2544 §C.2.2: reserved for measurements.
    address = f"198.18.{number >> 8}.{number & 255}"
    case.headers["X-Forwarded-For"] = address


# To another method, and what the connection itself answers, whatever was asked for.
ANYWHERE = {405, 400, 408, 413, 414, 417, 431, 501}


@schemathesis.check
def nothing_breaks(ctx, response, case):
    """As not_a_server_error, but for the sign-in page that is told to say that a provider is down, and
    for a handle whose host cannot be asked: there is no network."""
    told = (case.query or {}).get("reason") == "provider_unreachable"
    is_said = response.status_code == 503 and told and case.operation.path in ("/login", "/signup")
    typed = [part for part in (case.query, case.body) if isinstance(part, dict)]
    is_away = (
        response.status_code == 503
        and case.operation.path == "/login"
        and any("handle" in part for part in typed)
    )
    assert response.status_code < 500 or is_said or is_away, f"{response.status_code}"


@schemathesis.check
def written_status(ctx, response, case):
    """As status_code_conformance, beside what any address may answer."""
    statuses = {str(status) for status in case.operation.responses.status_codes}
    is_written = "default" in statuses or str(response.status_code) in statuses
    assert is_written or response.status_code in ANYWHERE, (
        f"{response.status_code} is not written down"
    )


@schemathesis.check
def written_type(ctx, response, case):
    """As content_type_conformance. A 404 without a body has no type: the path is in another spelling."""
    if response.status_code != 404 or response.content:
        content_type_conformance(ctx, response, case)

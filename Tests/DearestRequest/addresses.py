"""The addresses of the server (addresses.json, which DearestRequestTests hold against the routes), each
with a request that gets as far as a stranger's can."""

import itertools
import json
import os

from draft import FORM, Draft, in_body, in_query
from web import Visitor, forms

HERE = os.path.dirname(os.path.abspath(__file__))
_numbers = itertools.count(1)


def stranger():
    """An unused address of the measurement network (RFC 2544 §C.2.2: for measurements)."""
    number = next(_numbers) % (1 << 17)
    return b"198.%d.%d.%d" % (18 + (number >> 16), number >> 8 & 255, number & 255)


class Address:
    """`query` and `form`: the parameters it reads; those without a value are left out of the valid
    request. `page`: the page with the form to take hidden fields from, or the address that redirects to
    a provider, to take its `state` from."""

    def __init__(self, entry, server):
        self.server = server
        self.method, self.path = entry["method"], entry["path"]
        self.status = entry["status"]
        self.query, self.form = entry.get("query", {}), entry.get("form")
        self.reads_json = entry.get("json", False)
        self.hashes = entry.get("hashes", False)
        self.fields, self.cookies = entry.get("fields", {}), dict(entry.get("cookies", {}))
        self.page, self.field = entry.get("page"), entry.get("field")
        self.hidden = {}
        what = f" ({entry['what']})" if "what" in entry else ""
        self.name = f"{self.method} {self.path.replace('/protocol/openid-connect', '/…')}{what}"

    def prepare(self):
        """Visits the page, once more: forms and attempts expire."""
        if not self.page:
            return
        visitor = Visitor()
        come = {"X-Forwarded-For": stranger().decode()}
        page = visitor.get(self.server.page(self.page), headers=come)
        if page.status == 303:
            self.hidden = {"state": page.query()["state"]}
        else:
            found = [form for form in forms(page) if self.field in form["fields"]]
            if not found:
                raise RuntimeError(f"{self.page} has no form with {self.field} ({page.status})")
            self.hidden = {name: value for name, value in found[0]["fields"].items() if value}
        self.cookies |= {cookie.name: cookie.value for cookie in visitor.cookies}

    @property
    def cookie_names(self):
        """Those that the server sets and reads, as far as a stranger sees them."""
        return [name.encode() for name in self.server.cookie_names | set(self.cookies)]

    def names(self, part):
        if part == "query":
            return list(self.query)
        return list(dict.fromkeys([*self.form, *self.hidden])) if self.form is not None else []

    def working(self, part):
        """The parameters of the request that works."""
        given = self.query if part == "query" else self.form or {}
        if (part == "query") == (self.form is None):
            given = given | self.hidden
        number = str(next(_numbers))
        return {k: v.replace("{n}", number) for k, v in given.items() if v is not None}

    def draft(self):
        draft = Draft(self.method, self.path.encode())
        draft.query = [(k.encode(), in_query(v.encode())) for k, v in self.working("query").items()]
        if self.form is not None:
            draft.form, draft.kind = [], FORM
            for name, value in self.working("form").items():
                draft.form.append((name.encode(), in_body(value.encode())))
        draft.fields = [(k.encode(), v.encode()) for k, v in self.fields.items()]
        # A browser at a page, a program elsewhere: errors are rendered as they ask.
        programs = ("/v1", "/bff", "/api", "/mobile/", "/xrpc")
        accept = b"*/*" if self.path.startswith(programs) else b"text/html"
        draft.fields += [(b"Accept", accept), (b"X-Forwarded-For", stranger())]
        draft.cookies = [(k.encode(), v.encode()) for k, v in self.cookies.items()]
        return draft


def addresses(server):
    with open(os.path.join(HERE, "addresses.json"), encoding="utf-8") as file:
        return [Address(entry, server) for entry in json.load(file)]

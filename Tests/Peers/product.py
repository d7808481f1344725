"""A product configured as `portico client create --for` prints."""

import json
import os
import time
import urllib.parse

from portico import REALM, write_realm
from steps import expect
from web import forms, submit_sign_in


class Made:
    """A client that was made for a product: its names, and the product's files as printed."""

    def __init__(self, provider, product, url=None, client_id=None, options=()):
        arguments = ["client", "create", client_id or product, "--realm", REALM, "--for", product]
        if url is not None:
            arguments += ["--url", url]
        document = json.loads(provider.administer(*arguments, *options, "--json"))
        time.sleep(1.1)  # A running server sees the change within a second.
        self.client_id = document["client_id"]
        self.secret = document.get("client_secret")
        self.redirect_uris = document.get("redirect_uris", [])
        self.files = {part["place"]: part["text"] for part in document["configuration"]}

    def file(self, place=None):
        """One of the files; the only one where no place is said."""
        if place is None:
            (text,) = self.files.values()
            return text
        return self.files[place]


def realm_in(folder):
    """A realm file of the people in realm.json, in that folder."""
    path = os.path.join(folder, "realm.json")
    write_realm(path)
    return path


def sign_in(visitor, provider, answer, person):
    """From a product's redirect to us, through our form: what we answer, which should lead back."""
    expect(answer.status in (302, 303), f"{answer.status} at {answer.url}: {answer.text[:500]}")
    page = visitor.follow(answer, until="none")
    at_form = page.url.startswith(provider.base) and 'name="password"' in page.text
    expect(at_form, f"no sign-in form: {page.status} at {page.url}: {page.text[:500]}")
    answer = submit_sign_in(visitor, page, *person)
    while answer.status in (302, 303) and answer.location.startswith(f"{provider.base}/"):
        answer = visitor.get(answer.location)
    expect(answer.status in (302, 303), f"{answer.status} at {answer.url}: {answer.text[:500]}")
    return answer


def is_known(visitor, provider):
    """Whether the browser has a session here: who has none is asked for a password."""
    page = visitor.follow(visitor.get(f"{provider.issuer}/account"), until="none")
    expect(page.status == 200, f"the account page answers {page.status}")
    return 'name="password"' not in page.text


def confirmed(visitor, page):
    """What follows our page "Sign out?"."""
    (form,) = [form for form in forms(page) if form["buttons"]]
    fields = form["fields"] | dict(form["buttons"][:1])
    return visitor.post(urllib.parse.urljoin(page.url, form["action"]), fields)


def sign_out_here(visitor, provider):
    """By our own page, with no product asking."""
    confirmed(visitor, visitor.get(f"{provider.endpoint}/logout"))
    expect(not is_known(visitor, provider), "our session goes on")

"""Canaille (PyPI) as the server under `portico login`, and as identity provider of our backend."""

import json
import os
import time
import urllib.parse

from backend import Backend, Person, wrong_secret
from canaille import Canaille
from check_glewlwyd import SCOPE, CommandLine
from running import free_port, workspace
from steps import Steps, Stop, expect
from web import Visitor, unverified_claims

NAME = "canaille"
BUTTON = "Club account"


def check_login(steps, program, server, port, folder):
    """`portico login`, with a browser that is a visitor of ours, then the commands that use it."""
    home = os.path.join(folder, "home")
    os.makedirs(home)
    command = CommandLine(program, home)
    with steps.step("portico login ends signed in"):

        def act(url, _):
            visitor = Visitor()
            answer = server.walk(visitor, url, server.username)
            page = visitor.follow(answer, until="none")
            expect(page.status == 200, f"the page at the end answers {page.status}: {page.text}")

        status, said = command.login(
            act,
            *("--issuer", server.issuer, "--client-id", server.client_id, "--scope", SCOPE),
            *("--callback-port", str(port), "--timeout", "60s"),
        )
        expect(status == 0, f"login ends with {status}: {said[-2000:]}")
        expect(server.email in said, f"no one is named: {said[-2000:]}")
    with steps.step("portico userinfo, whoami and token use the session"):
        person = json.loads(command.succeed("userinfo"))
        expect(person["email"] == server.email, f"it is {person}")
        expect(person["name"] == server.name, f"it is {person}")
        expect(server.email in command.succeed("whoami"), "whoami names no one")
    with steps.step("portico token refreshes what will expire soon"):
        # Its refresh tokens expire with their access tokens: half of that time is soon.
        first = command.succeed("token").strip()
        soon = unverified_claims(first)["exp"] - server.access_token_seconds / 2
        time.sleep(max(0, soon - time.time()) + 0.5)
        fresh = command.succeed("token").strip()
        expect(fresh != first, "the old token came again")
        expect(unverified_claims(fresh)["sub"] == server.username, "another person's token")
        person = json.loads(command.succeed("userinfo"))
        expect(person["email"] == server.email, "another person after the refresh")
    with steps.step("portico logout ends it"):
        # Canaille revokes tokens for clients with a secret only, which logout says.
        command.run("logout", "--no-browser")
        status, _, _ = command.run("token")
        expect(status == 3, f"token after logout ends with {status}")


class Upstream:
    def __init__(self, steps, server, backend):
        self.steps, self.server, self.backend = steps, server, backend

    def begin(self, person, **more):
        page = person.start(NAME, **more)
        expect(page.url.startswith(f"{self.server.base}/"), f"it ends at {page.url}")
        return page

    def sign_in(self, person, username, **more):
        page = self.begin(person, **more)
        return self.server.consent(person, self.server.sign_in(person, page, username))

    def registered(self):
        person = Person(self.backend)
        with self.steps.step("a person registers, with name and address"):
            person.arrived(self.sign_in(person, self.server.username), "/onboarding")
            user = person.user()
            expect(user["email"] == self.server.email, f"the address is {user['email']}")
            expect(user["email_verified"] is False, "the address is taken as verified")
            expect(user["name"] == self.server.name, f"the name is {user['name']}")
            expect(user["providers"] == [NAME], f"the ways are {user['providers']}")
        return person

    def returned(self, person):
        account = person.user()["id"]
        with self.steps.step("they return in another browser, to the same account"):
            # Two tokens of one second are the same to it, and the second gets a 500.
            time.sleep(1.1)
            again = Person(self.backend)
            answer = self.sign_in(again, self.server.username, return_to="/account")
            again.arrived(answer, "/account")
            expect(again.user()["id"] == account, "it is another account")
        with self.steps.step("another person has another account"):
            other = Person(self.backend)
            other.arrived(self.sign_in(other, self.server.other), "/onboarding")
            expect(other.user()["id"] != account, "it is the same account")
            expect(other.user()["email"] == "bob@example.com", f"it is {other.user()}")

    def refused(self):
        with self.steps.step("a wrong password stays there"):
            person = Person(self.backend)
            page = self.server.sign_in(person, self.begin(person), "bob", "wrong")
            expect(page.status == 200 and page.url.startswith(self.server.base), page.url)
            expect(not person.is_signed_in, "a person is signed in")
        with self.steps.step("a person who denies comes back to the sign-in page"):
            # Before anybody agreed: it remembers who did, and does not ask again.
            person = Person(self.backend)
            page = self.server.sign_in(person, self.begin(person), self.server.username)
            answer = self.server.consent(person, page, "deny")
            answer = person.arrived(answer, "/login")
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.url).query)
            expect(query["error"] == ["access_denied"], f"it says {query}")
            expect(not person.is_signed_in, "a person is signed in")


def run(program):
    steps = Steps(NAME)
    port = free_port()
    with workspace(NAME) as folder:
        backend = Backend(program, os.path.join(folder, "backend"))
        place = os.path.join(folder, NAME)
        os.makedirs(place)
        redirects = [backend.callback(NAME), f"{backend.callback(NAME)}/link"]
        server = Canaille(place, [port], redirects)
        try:
            with server:
                check_login(steps, program, server, port, folder)
                steps.subject = f"{NAME} as upstream"
                with steps.step("its issuer is all that the backend is told of it"):
                    backend.add_provider(
                        NAME,
                        server.issuer,
                        server.confidential_id,
                        server.confidential_secret,
                        more=("--display-name", BUTTON),
                    )
                with backend:
                    upstream = Upstream(steps, server, backend)
                    upstream.refused()
                    upstream.returned(upstream.registered())
                    wrong_secret(
                        steps,
                        backend,
                        NAME,
                        lambda person: upstream.sign_in(person, server.other),
                    )
        except Stop:
            pass
    return steps

"""LemonLDAP::NG as the identity provider of our backend-for-frontend: its own pages, by their forms."""

import os
import urllib.parse

from backend import Backend, Person, wrong_secret
from lemonldap import LemonLDAP
from running import workspace
from steps import Steps, Stop, expect
from web import form_with, forms

NAME = "lemonldap"
BUTTON = "Company account"


class Walk:
    def __init__(self, steps, server, backend):
        self.steps, self.server, self.backend = steps, server, backend

    def sign_in(self, person, username, **more):
        """Name and password; the answer is the page that asks for consent, or the way back."""
        page = person.start(NAME, **more)
        _, fields, _ = form_with(page, "user")
        return person.post(page.url, fields | {"user": username, "password": username})

    def consent(self, person, page, agrees=True):
        """Where it asks; it remembers who agreed once."""
        if page.status != 200:
            return page
        _, fields, _ = form_with(page, "confirm")
        if not agrees:
            # What the script of its page does when "Refuse" is pressed.
            fields["confirm"] = f"-{fields['confirm']}"
        return person.post(page.url, fields)

    def registered(self):
        person = Person(self.backend)
        with self.steps.step("a person registers; name and address come from the UserInfo endpoint"):
            page = self.sign_in(person, self.server.username, return_to="/account")
            person.arrived(self.consent(person, page), "/onboarding")
            user = person.user()
            expect(user["email"] == self.server.email, f"the address is {user['email']}")
            expect(user["email_verified"] is False, "the address is taken as verified")
            expect(user["name"] == self.server.name, f"the name is {user['name']}")
            expect(user["providers"] == [NAME], f"the ways are {user['providers']}")
        return person

    def returned(self, person):
        account = person.user()["id"]
        with self.steps.step("they return in the same browser without a password"):
            person.sign_out()
            person.arrived(person.start(NAME, return_to="/account"), "/account")
            expect(person.user()["id"] == account, "it is another account")
        with self.steps.step("and in another browser, with it"):
            again = Person(self.backend)
            page = self.sign_in(again, self.server.username, return_to="/account")
            again.arrived(self.consent(again, page), "/account")
            expect(again.user()["id"] == account, "it is another account")

    def of_another(self, person):
        with self.steps.step("another person has another account"):
            other = Person(self.backend)
            page = self.sign_in(other, self.server.other)
            other.arrived(self.consent(other, page), "/onboarding")
            expect(other.user()["id"] != person.user()["id"], "it is the same account")

    def refused(self):
        with self.steps.step("a wrong password stays there, and no consent is a change of mind"):
            person = Person(self.backend)
            page = person.start(NAME)
            _, fields, _ = form_with(page, "user")
            page = person.post(page.url, fields | {"user": "msmith", "password": "wrong"})
            expect("user" in forms(page)[0]["fields"], "it does not ask again")
            page = self.sign_in(person, "msmith")
            answer = person.arrived(self.consent(person, page, agrees=False), "/login")
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.url).query)
            expect(query["error"] == ["access_denied"], f"it says {query}")
            expect(not person.is_signed_in, "a person is signed in")


def run(program):
    steps = Steps("LemonLDAP::NG as upstream")
    with workspace("upstream-lemonldap") as folder:
        backend = Backend(program, os.path.join(folder, "backend"))
        place = os.path.join(folder, "lemonldap")
        os.makedirs(place)
        server = LemonLDAP(place, [backend.callback(NAME), f"{backend.callback(NAME)}/link"])

        try:
            with server:
                with steps.step("its issuer is all that the backend is told of it"):
                    backend.add_provider(
                        NAME,
                        server.issuer,
                        server.client_id,
                        server.client_secret,
                        # It announces client_secret_basic too, but reads letters and digits only.
                        more=(
                            *("--authentication", "client_secret_post"),
                            *("--display-name", BUTTON),
                        ),
                    )
                with backend:
                    walk = Walk(steps, server, backend)
                    person = walk.registered()
                    walk.returned(person)
                    walk.of_another(person)
                    walk.refused()
                    wrong_secret(
                        steps,
                        backend,
                        NAME,
                        lambda person: walk.consent(
                            person, walk.sign_in(person, walk.server.other)
                        ),
                    )
        except Stop:
            pass
    return steps

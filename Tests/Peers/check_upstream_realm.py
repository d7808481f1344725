"""A realm of our own Provider as the identity provider of our backend-for-frontend: in the same
process, and in another one, which is told by name which private address it may call."""

import base64
import json
import os
import subprocess
import urllib.parse

from backend import App, Backend, Person
from portico import ANN, BOB, Portico, write_realm
from running import need, workspace
from steps import Steps, Stop, expect
from web import submit_sign_in

NAME = "house"
CLIENT = "backend"
BUTTON = "House account"
SECRET = "house: 100% secret + more/&="


class Walk:
    """What people do at the backend, at the realm, and what their sessions become."""

    def __init__(self, steps, provider, backend):
        self.steps, self.provider, self.backend = steps, provider, backend

    def sign_in(self, person, credentials, **more):
        """Through the realm's form, to where the redirects end."""
        page = person.start(NAME, **more)
        expect(page.url.startswith(self.provider.base), f"it ends at {page.url}")
        return submit_sign_in(person, page, *credentials)

    def registered(self):
        """Ann with two browsers, Bob with one."""
        first, second, bob = Person(self.backend), Person(self.backend), Person(self.backend)
        with self.steps.step("the sign-in page has its button; ann registers"):
            expect(BUTTON in first.get(f"{self.backend.base}/login").text, "there is no button")
            first.arrived(self.sign_in(first, ANN, return_to="/account"), "/onboarding")
            user = first.user()
            expect(user["email"] == "ann@example.com", f"the address is {user['email']}")
            expect(user["email_verified"] is True, "the address is not taken as verified")
            expect(user["name"] == "Ann Example", f"the name is {user['name']}")
            expect(user["providers"] == [NAME], f"the ways are {user['providers']}")
        with self.steps.step("she returns in another browser, to the page that she wanted"):
            second.arrived(self.sign_in(second, ANN, return_to="/account"), "/account")
            expect(second.user()["id"] == first.user()["id"], "it is another account")
        with self.steps.step("bob registers, with an address that is not vouched for"):
            bob.arrived(self.sign_in(bob, BOB), "/onboarding")
            user = bob.user()
            expect(user["email_verified"] is False, "the address is taken as verified")
            expect(user["name"] == "Bob Exämple", f"the name is {user['name']}")
            expect(user["id"] != first.user()["id"], "it is ann's account")
        return first, second, bob

    def signed_out_here(self, person):
        with self.steps.step("signing out at the backend leaves the realm's session"):
            person.sign_out()
            person.arrived(person.start(NAME, return_to="/account"), "/account")
            expect(person.is_signed_in, "no one is signed in")

    def in_an_app(self, person):
        app = App("notes", "http://127.0.0.1/callback")
        with self.steps.step("an app signs in within the same session of the realm"):
            answer = person.start(NAME, until=app.redirect_uri, **app.starting())
            app.redeem(person, answer)
            expect(person.session(app.tokens["session_token"])[0] == 200, "its token is not good")
            expect(app.refresh(person)[0] == 200, "its session is not renewed")
        return app

    def sign_out_there(self, person):
        """By the realm's own page."""
        page = person.get(f"{self.provider.endpoint}/logout")
        answer = person.press(page, "sign-out")
        expect(answer.status in (200, 303), f"signing out answers {answer.status}")

    def over(self, person, why):
        self.backend.wait_until(lambda: not person.is_signed_in, why)

    def told(self, first, app, second, bob):
        with self.steps.step("signing out in the realm ends the backend's sessions of that session"):
            self.sign_out_there(first)
            self.over(first, "the browser's session ends")
            status, _ = first.session(app.tokens["session_token"])
            expect(status == 401, f"the app's token gets {status}")
            status, answer = app.refresh(first)
            expect(status == 400, f"the app's refresh token gets {status}")
            expect(answer["error"] == "invalid_grant", f"and {answer}")
            self.backend.wait_until(
                lambda: self.backend.logged("sign_out.provider", NAME), "the log tells of it"
            )
        with self.steps.step("her session in another browser stays, and bob's"):
            expect(second.is_signed_in, "her other browser is signed out")
            expect(bob.is_signed_in, "bob is signed out")
        with self.steps.step("she signs in again, with her password"):
            first.arrived(self.sign_in(first, ANN, return_to="/account"), "/account")

    def administered(self, first, second, bob):
        with self.steps.step("disabling bob in the realm ends his session; the others stay"):
            self.provider.administer("user", "update", BOB[0], "--disable-user")
            self.over(bob, "bob's session ends")
            expect(first.is_signed_in and second.is_signed_in, "ann is signed out")
            page = self.sign_in(bob, BOB)
            expect(page.url.startswith(self.provider.base), f"bob gets to {page.url}")
            expect(not bob.is_signed_in, "bob is signed in again")
        with self.steps.step("a new password in the realm ends all sessions of ann"):
            secret = "another horse, another battery"
            self.provider.administer(
                "user", "set-password", ANN[0], "--password-file", "-", given=secret
            )
            self.over(first, "her session ends")
            self.over(second, "her session in another browser ends")
            first.arrived(self.sign_in(first, (ANN[0], secret), return_to="/account"), "/account")
        with self.steps.step("deleting ann in the realm ends her session"):
            self.provider.administer("user", "delete", ANN[0], "--confirm", ANN[0])
            self.over(first, "her session ends")

    def cancelled(self):
        """By the consent page, for it has a way to say no."""
        with self.steps.step("who refuses at the realm comes back to the sign-in page"):
            self.provider.administer("client", "update", CLIENT, "--consent")
            asked = []

            def is_asked():
                person = Person(self.backend)
                page = self.sign_in(person, ANN)
                page = person.follow(page, until=self.backend.callback(NAME))
                asked[:] = [(person, page)]
                return page.status == 200 and 'value="deny"' in page.text

            self.provider.wait_until(is_asked, "the realm asks for consent")
            person, page = asked[0]
            answer = person.arrived(person.press(page, "deny"), "/login")
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.url).query)
            expect(query["error"] == ["access_denied"], f"it says {query}")
            expect(not person.is_signed_in, "a person is signed in")
            self.provider.administer("client", "update", CLIENT, "--no-consent")


def register_app(backend, more=()):
    backend.administer(
        *("client", "create", "notes", "--hand-off", "code", *more),
        *("--redirect-uri", "http://127.0.0.1/callback"),
    )


class Upstream:
    """The realm of a server that is not the backend's."""

    def __init__(self, server):
        self._server = server
        self._realm = ("--realm", server.issuer.rsplit("/", 1)[1])

    def __getattr__(self, name):
        return getattr(self._server, name)

    def administer(self, *arguments, given=""):
        return self._server.administer(*arguments, *self._realm, given=given)


def one_process(steps, program, folder, realm):
    """The realm and the backend are one server, which tells itself."""
    steps.subject = "realm as upstream, one process"
    backend = Backend(program, os.path.join(folder, "one"), realm)
    with steps.step("the realm is imported, with the backend as a client that has a secret"):
        backend.set_up()
        register(backend, backend, ("--secret-file", "-"), SECRET)
        # The people of the realm are not the backend's.
        backend.administer("realm", "create", "home", "--public-url", backend.base)
        home = ("--realm", "home")
        more = ("--display-name", BUTTON, *home)
        backend.add_provider(NAME, backend.issuer, CLIENT, SECRET, "keycloak", more)
        register_app(backend, home)
    with backend:
        walk = Walk(steps, Upstream(backend), backend)
        first, second, bob = walk.registered()
        walk.signed_out_here(first)
        app = walk.in_an_app(first)
        walk.told(first, app, second, bob)
        walk.cancelled()
        walk.administered(first, second, bob)


def two_processes(steps, program, folder, realm):
    """The realm is a server of its own, which proves the backend by a key."""
    steps.subject = "realm as upstream, two processes"
    provider = Portico(program, made(folder, "realm"), realm)
    backend = Backend(program, os.path.join(folder, "backend"))
    with steps.step("the realm is imported, with the backend as a client that has a key"):
        provider.set_up()
        private, public = key_pair(folder)
        options = ("--authentication", "private_key_jwt", "--jwks-file", public)
        register(provider, backend, options)
        backend.add_provider(
            NAME,
            provider.issuer,
            CLIENT,
            private,
            more=("--key-id", "backend-1", "--display-name", BUTTON),
        )
        register_app(backend)
    with backend:
        walk = Walk(steps, provider, backend)
        with provider:
            first, second, bob = walk.registered()
            app = walk.in_an_app(first)
            with steps.step("a loopback address that the operator did not name is not told"):
                walk.sign_out_there(first)
                provider.wait_until(lambda: provider.logged("logout.failed"), "logout.failed")
                expect(first.is_signed_in, "the session has ended all the same")
            provider.kill()
        down(steps, backend, second)
        netloc = urllib.parse.urlsplit(backend.base).netloc
        provider.options = ["--backchannel-allow", netloc]
        with provider:
            with steps.step("after a kill, and with the address named, it is told then"):
                backend.wait_until(lambda: not first.is_signed_in, "the session ends", 30)
                first.arrived(walk.sign_in(first, ANN, return_to="/account"), "/account")
                app = walk.in_an_app(first)
            walk.told(first, app, second, bob)
            walk.administered(first, second, bob)


def down(steps, backend, signed_in):
    with steps.step("without the realm sessions stay, and a page says that it does not answer"):
        # A server that has its metadata still sends people there.
        backend.stop()
        backend.start()
        expect(signed_in.is_signed_in, "the session has ended")
        answer = Person(backend).start(NAME)
        expect(answer.status == 503, f"the start answers {answer.status} at {answer.url}")
        expect(BUTTON in answer.text, f"the page does not name it: {answer.text[-2000:]}")


def register(provider, backend, options, given=""):
    """The backend becomes a client of the realm, as an operator registers it."""
    provider.administer(
        *("client", "create", CLIENT, "--template", "web", *options),
        *("--redirect-uri", backend.callback(NAME)),
        *("--redirect-uri", f"{backend.callback(NAME)}/link"),
        *("--backchannel-logout-uri", backend.logout_address(NAME)),
        "--backchannel-logout-session",
        given=given,
    )


def made(folder, name):
    path = os.path.join(folder, name)
    os.makedirs(path)
    return path


def key_pair(folder):
    """A private key in PEM, and the path of a JWK set with its public half."""
    program = need("openssl", "openssl")
    curve = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
    made = subprocess.run([program, "genpkey", *curve], capture_output=True, check=True, timeout=30)
    public = subprocess.run(
        [program, "pkey", "-pubout", "-outform", "DER"],
        input=made.stdout,
        capture_output=True,
        check=True,
        timeout=30,
    ).stdout
    # SubjectPublicKeyInfo ends with the point: 4, x, y (RFC 5480 §2.2).
    x, y = (
        base64.urlsafe_b64encode(half).rstrip(b"=").decode()
        for half in (public[-64:-32], public[-32:])
    )
    key = {"kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": "backend-1", "alg": "ES256"}
    path = os.path.join(folder, "keys.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"keys": [key | {"use": "sig"}]}, file)
    return made.stdout.decode(), path


def run(program):
    steps = Steps("realm as upstream")
    with workspace("upstream-realm") as folder:
        realm = os.path.join(folder, "realm.json")
        write_realm(realm)
        try:
            one_process(steps, program, folder, realm)
            two_processes(steps, program, folder, realm)
        except Stop:
            pass
    return steps

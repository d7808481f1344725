"""OmniAuth with openid_connect (Debian) in a Rails application, as a client of our Provider.

Its initializer is the file that `portico client create --for omniauth` prints, as it is.
"""

import os
import subprocess

from portico import ANN, BOB, Portico, write_realm
from product import Made
from running import Running, free_port, need, workspace
from steps import Steps, Stop, expect
from web import Visitor, form_with, submit_sign_in, unverified_claims

HERE = os.path.dirname(os.path.abspath(__file__))
PRINTED = "config/initializers/omniauth.rb"
# The one addition: its discovery asks by https whatever the issuer says, and we are on loopback.
LOOPBACK = "SWD.url_builder = URI::HTTP\n"
ANN_SUB = "5f0c1d34-6c1e-4a49-9d0a-2f6a9a1f0a01"  # her id in realm.json
PACKAGES = {
    "rails": "ruby-railties",
    "omniauth_openid_connect": "ruby-omniauth-openid-connect",
    "omniauth/rails_csrf_protection": "ruby-omniauth-rails-csrf-protection",
}


def version():
    """Of the strategy and of Rails, as Ruby loads them."""
    ruby = need("ruby", "ruby")
    loaded = []
    for module, package in PACKAGES.items():
        loaded += ["-r", module]
        done = subprocess.run([ruby, *loaded, "-e", ""], capture_output=True, timeout=60)
        if done.returncode != 0:
            need(module, package)  # never on the path: raises, with the package's name
    said = "print OmniAuth::OpenIDConnect::VERSION, ' on Rails ', Rails.version"
    return subprocess.run(
        [ruby, *loaded, "-e", said],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout


class Rails:
    """The application of omniauth_app.ru under puma; its address is known before the start."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.running = None

    def start(self, initializer):
        program = need("puma", "puma")
        for place, text in (
            (PRINTED, initializer),
            ("config/initializers/loopback.rb", LOOPBACK),
        ):
            path = os.path.join(self.folder, place)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        command = [program, "--bind", f"tcp://127.0.0.1:{self.port}", "--threads", "1:4"]
        self.running = Running(
            [*command, os.path.join(HERE, "omniauth_app.ru")],
            os.path.join(self.folder, "rails.log"),
            os.environ | {"PEER_ROOT": self.folder, "RACK_ENV": "production"},
            self.folder,
        )
        self.running.serving(self.port)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.running:
            self.running.stop()


class Walk:
    def __init__(self, steps, provider, rails):
        self.steps, self.provider, self.rails = steps, provider, rails
        self.visitor = Visitor()

    def press(self, visitor):
        """The button of the application; its answer leads to us."""
        action, fields, _ = form_with(visitor.get(f"{self.rails.base}/"), "authenticity_token")
        challenge = visitor.post(action, fields)
        expect(challenge.status == 302, f"{challenge.status}: {self.rails.running.tail(1500)}")
        return challenge

    def back(self, visitor, challenge, person):
        """Our form, and the way back to the application's callback, which is not yet followed."""
        answer = submit_sign_in(visitor, visitor.get(challenge.location), *person)
        return visitor.follow(answer, until=self.rails.base)

    def sign_in(self):
        with self.steps.step("the button leads to us, with a nonce"):
            challenge = self.press(self.visitor)
            expect(challenge.location.startswith(f"{self.provider.endpoint}/auth?"), "elsewhere")
            expect(challenge.query().get("nonce"), "no nonce")
        with self.steps.step("sign-in by our form makes a session there, of the right person"):
            answer = self.back(self.visitor, challenge, ANN)
            self.visitor.follow(answer, until=f"{self.rails.base}/?")
            person = self.expect_person(self.visitor, "Ann Example", "ann")
            expect(person["uid"] == ANN_SUB, f"uid is {person['uid']}")
            expect(person["info"]["email"] == "ann@example.com", "another address")
            expect(person["info"]["email_verified"] is True, "the address is not confirmed")
        with self.steps.step("its tokens are of this sign-in, and the access token is taken here"):
            tokens = person["credentials"]
            claims = unverified_claims(tokens["id_token"])
            expect(claims["sub"] == person["uid"], "another person in the ID Token")
            expect(claims["nonce"] == challenge.query()["nonce"], "another nonce")
            asked = self.userinfo(tokens["token"])
            expect(asked.json()["sub"] == person["uid"], f"UserInfo answers {asked.status}")

    def userinfo(self, token):
        return Visitor().get(
            f"{self.provider.endpoint}/userinfo", headers={"Authorization": f"Bearer {token}"}
        )

    def expect_person(self, visitor, name, nickname):
        page = visitor.get(f"{self.rails.base}/")
        expect(page.status == 200 and page.text.startswith("{"), self.rails.running.tail(2500))
        person = page.json()
        expect(person["info"]["name"] == name, f"name is {person['info']['name']}")
        expect(person["info"]["nickname"] == nickname, f"it is {person['info']['nickname']}")
        return person

    def of_another(self):
        with self.steps.step("another person in another browser is another person"):
            other = Visitor()
            other.follow(self.back(other, self.press(other), BOB), until=f"{self.rails.base}/?")
            other = self.expect_person(other, "Bob Exämple", "bob")
            mine = self.expect_person(self.visitor, "Ann Example", "ann")
            expect(other["uid"] != mine["uid"], "they are one person")
            expect(other["info"]["email_verified"] is False, "the address is confirmed")

    def refused(self):
        with self.steps.step("an answer that the browser did not ask for is refused there"):
            visitor, stranger = Visitor(), Visitor()
            answer = self.back(visitor, self.press(visitor), ANN)
            self.press(stranger)  # a state of its own
            refusal = stranger.follow(stranger.get(answer.location), until="nowhere")
            expect(refusal.status == 401, f"it answers {refusal.status}")
            expect(refusal.json() == {"failure": "csrf_detected"}, refusal.text)

    def sign_out(self):
        with self.steps.step("its sign-out comes to us, who ask, for it says no person"):
            token = self.expect_person(self.visitor, "Ann Example", "ann")["credentials"]["token"]
            mark = self.visitor.get(f"{self.rails.base}/").json()["form"]
            answer = self.visitor.post(f"{self.rails.base}/leave", {"authenticity_token": mark})
            page = self.visitor.follow(answer, until="nowhere")
            expect(page.url.startswith(f"{self.provider.endpoint}/logout?"), f"at {page.url}")
            expect(self.userinfo(token).status == 200, "the session was ended unasked")
        with self.steps.step("once that is confirmed, our session is over, and its tokens"):
            action, fields, buttons = form_with(page, "csrf")
            expect(("action", "sign-out") in buttons, f"the page offers {buttons}")
            answer = self.visitor.post(action, fields | {"action": "sign-out"})
            # Nothing shows which client the requested return address belongs to.
            expect(answer.status == 200, f"it answers {answer.status}")
            expect(self.userinfo(token).status == 401, "the access token is still good")
            page = self.visitor.get(self.press(self.visitor).location)
            expect('name="password"' in page.text, "we still know the person")


def run(program):
    steps = Steps("OmniAuth")
    steps.product, steps.version = "omniauth", version()
    steps.seen = "sign-in, sign-out that is confirmed here"
    with workspace("omniauth") as folder, Rails(folder) as rails:
        realm = os.path.join(folder, "realm.json")
        write_realm(realm)
        provider = Portico(program, folder, realm)
        try:
            with steps.step("the client is made, the printed initializer is the application's"):
                provider.set_up()
                made = Made(provider, "omniauth", rails.base)
                rails.start(made.file(PRINTED))
            with provider:
                walk = Walk(steps, provider, rails)
                walk.sign_in()
                walk.of_another()
                walk.refused()
                walk.sign_out()
        except Stop:
            pass
    return steps

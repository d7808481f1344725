"""Matrix Synapse (PyPI), set up by what `--for` prints, with a Matrix client before it."""

import html
import os
import re
import subprocess
import urllib.parse
from http.cookiejar import DefaultCookiePolicy

import pypi
from portico import ANN, BOB, Portico
from product import Made, realm_in, sign_in, sign_out_here
from running import Running, free_port, workspace
from steps import Steps, Stop, expect
from web import Visitor

PACKAGE = "matrix-synapse"
SERVER = "matrix.example"
# Where the Matrix client would be; nothing listens on it.
CLIENT = "http://127.0.0.1:9/signed-in"


class Synapse:
    """A home server with the file that it generates itself, and nothing but loopback."""

    def __init__(self, python, folder, port):
        self.python, self.folder, self.port = python, os.path.join(folder, "synapse"), port
        self.base = f"http://127.0.0.1:{port}"
        self.running = None
        os.makedirs(self.folder)
        self.file = os.path.join(self.folder, "homeserver.yaml")
        self._call("--generate-config", "--report-stats=no", "--server-name", SERVER)

    def _command(self, *arguments):
        return [
            *(self.python, "-m", "synapse.app.homeserver"),
            *("--config-path", self.file, *arguments),
        ]

    def _call(self, *arguments):
        done = subprocess.run(
            self._command(*arguments),
            capture_output=True,
            text=True,
            timeout=120,
            cwd=self.folder,
        )
        if done.returncode != 0:
            raise RuntimeError(f"synapse {arguments[0]}: {done.stderr[-2000:]}")

    def configure(self, text):
        """Changed: the port, which is always 8008 there, and that it would ask another server for
        keys. Added: what is printed."""
        with open(self.file, encoding="utf-8") as file:
            generated = file.read()
        for old, new in (
            ("port: 8008", f"port: {self.port}"),
            ("    - ::1\n", ""),
            ('trusted_key_servers:\n  - server_name: "matrix.org"\n', "trusted_key_servers: []\n"),
        ):
            expect(generated.count(old) == 1, f"its file has no {old.strip()}")
            generated = generated.replace(old, new)
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(f"{generated}\n{text}")

    def require(self, role):
        """What a note of the entry says: only people with a role may come in."""
        with open(self.file, encoding="utf-8") as file:
            text = file.read()
        old = 'scopes: ["openid", "profile", "email"]'
        expect(text.count(old) == 1, f"its file has no {old}")
        text = text.replace(old, 'scopes: ["openid", "profile", "email", "groups"]')
        text += f"  attribute_requirements: [{{attribute: groups, value: {role}}}]\n"
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)

    def start(self):
        log = os.path.join(self.folder, "output.log")
        self.running = Running(self._command(), log, folder=self.folder)
        self.running.serving(self.port, 60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.running:
            self.running.stop()

    def tail(self):
        with open(os.path.join(self.folder, "homeserver.log"), encoding="utf-8") as file:
            return self.running.tail(500) + file.read()[-2000:]


class Person:
    """A person with a browser and a Matrix client."""

    def __init__(self, steps, provider, synapse, person):
        self.steps, self.provider, self.synapse, self.person = steps, provider, synapse, person
        self.visitor = Visitor()
        # Synapse's cookie is Secure: browsers send such a one to this machine without https, too.
        schemes = ("http", "https")
        self.visitor.cookies.set_policy(DefaultCookiePolicy(secure_protocols=schemes))
        self.token = None

    def ask(self, path):
        return Visitor().get(
            f"{self.synapse.base}/_matrix/client/v3/{path}",
            headers={"Authorization": f"Bearer {self.token}"},
        )

    def arrive(self):
        """By a browser, to the page of the home server at which its redirects end."""
        start = f"{self.synapse.base}/_matrix/client/v3/login/sso/redirect/oidc-portico?"
        asked = self.visitor.follow(
            self.visitor.get(start + urllib.parse.urlencode({"redirectUrl": CLIENT})),
            until=self.provider.base,
        )
        expect(asked.query().get("code_challenge_method") == "S256", "it sends no PKCE")
        return self.visitor.follow(
            sign_in(self.visitor, self.provider, asked, self.person), until=CLIENT
        )

    def sign_in(self, name, address):
        matrix = f"@{self.person[0]}:{SERVER}"
        with self.steps.step(f"{self.person[0]} signs in: name and address reach the home server"):
            page = self.arrive()
            expect(page.status == 200, f"{page.status} at {page.url}: {self.synapse.tail()}")
            # A page asks whether the client may be trusted; its link leads there.
            link = re.search(rf'href="({re.escape(CLIENT)}[^"]*)"', page.text)
            expect(link, f"no link to the client: {page.text[:2000]}")
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(html.unescape(link[1])).query)
            document = {"type": "m.login.token", "token": query["loginToken"][0]}
            answer = Visitor().send(
                "POST", f"{self.synapse.base}/_matrix/client/v3/login", document=document
            )
            expect(answer.status == 200, f"{answer.status}: {answer.text}")
            self.token = answer.json()["access_token"]
            who = self.ask("account/whoami").json()
            expect(who["user_id"] == matrix, f"it is {who}")
            profile = self.ask(f"profile/{urllib.parse.quote(matrix)}").json()
            expect(profile["displayname"] == name, f"the profile is {profile}")
            (known,) = self.ask("account/3pid").json()["threepids"]
            expect(known["address"] == address, f"the address is {known}")

    @property
    def is_signed_in(self):
        status = self.ask("account/whoami").status
        expect(status in (200, 401), f"whoami answers {status}")
        return status == 200


def run(program):
    steps = Steps("synapse")
    steps.product = "synapse"
    steps.seen = (
        "sign-in with PKCE, UserInfo, back-channel logout ends its access tokens, "
        "roles by the scope groups"
    )
    python = pypi.product("synapse", "matrix-synapse[oidc]~=1.163")
    steps.version = pypi.version(python, PACKAGE)
    with workspace("synapse") as folder:
        port = free_port()
        provider = Portico(program, folder, realm_in(folder)).set_up()
        provider.options = ["--backchannel-allow", f"127.0.0.1:{port}"]
        try:
            with provider, Synapse(python, folder, port) as synapse:
                with steps.step("it starts with what --for prints"):
                    made = Made(provider, "synapse", synapse.base)
                    synapse.configure(made.file("homeserver.yaml"))
                    synapse.start()
                ann, bob = (Person(steps, provider, synapse, who) for who in (ANN, BOB))
                ann.sign_in("Ann Example", "ann@example.com")
                bob.sign_in("Bob Exämple", "bob@example.com")
                with steps.step("signing out of Portico ends ann's access token at Synapse, and no one else's"):
                    expect(ann.is_signed_in, "she is signed out already")
                    sign_out_here(ann.visitor, provider)
                    provider.wait_until(lambda: not ann.is_signed_in, "her access token ends")
                    expect(bob.is_signed_in, "bob is signed out too")
                with steps.step("it starts again, and wants the role staff"):
                    provider.administer("client", "update", "synapse", "--optional-scope", "groups")
                    synapse.running.stop()
                    synapse.require("staff")
                    synapse.start()
                ann, bob = (Person(steps, provider, synapse, who) for who in (ANN, BOB))
                ann.sign_in("Ann Example", "ann@example.com")
                with steps.step("bob, who has not that role, is not allowed in"):
                    page = bob.arrive()
                    # That is its status for it.
                    expect(page.status == 400, f"{page.status} at {page.url}")
                    expect("not allowed to log in here" in page.text, page.text[:2000])
                    expect("loginToken" not in page.text, "the page has a token")
        except Stop:
            pass
    return steps

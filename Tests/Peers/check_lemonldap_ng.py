"""LemonLDAP::NG (Debian), with a portal that signs people in with our Provider.

What configures that is the file that `portico client create --for lemonldap-ng` prints, merged into
its configuration by the printed command.
"""

import grp
import json
import os
import pwd
import shlex
import subprocess

from lemonldap import beginning, installed, portal
from portico import ANN, BOB, Portico, write_realm
from product import Made
from running import free_port, need, need_file, workspace
from steps import Steps, Stop, expect
from web import Visitor, submit_sign_in

PRINTED, COMMAND = "portico.json", "Terminal"
MANAGER = "/usr/share/lemonldap-ng/bin/lemonldap-ng-cli"
MANAGER_PACKAGES = "liblemonldap-ng-manager-perl libemail-sender-perl libmime-tools-perl"
PAGE = {"Accept": "text/html"}  # it answers who also takes JSON like a script
ANN_SUB = "5f0c1d34-6c1e-4a49-9d0a-2f6a9a1f0a01"  # her id in realm.json
MANAGED = """\
[manager]
protection = none
enabledModules = conf
templateDir = /usr/share/lemonldap-ng/manager/htdocs/templates
"""
# What the printed note says of roles, as its portal's condition for opening a session.
ONLY_STAFF = {"grantSessionRules": {"'Only staff'##1": 'grep { $_ eq "staff" } @{$roles}'}}


def version():
    done = subprocess.run(
        [need("dpkg-query", "dpkg"), "-W", "-f", "${Version}", "liblemonldap-ng-portal-perl"],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    return done.stdout.split("+")[0]


class Portal:
    """Its portal by plackup; configuration, sessions and caches in a temporary folder."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.running = None

    def written(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def configure(self, printed, command):
        """Applies what an installation has, then the printed file with the printed command, plus
        the installation's folder and user, and no answers to its questions."""
        need_file(MANAGER, MANAGER_PACKAGES)
        local = installed(self.folder, beginning(self.folder, self.base), MANAGED)
        self.written(PRINTED, printed)
        program, *words = shlex.split(command)
        expect(os.path.basename(MANAGER) == program, f"the command is {program}")
        self._merge(local, words)
        rule = self.written("rule.json", json.dumps(ONLY_STAFF))
        self._merge(local, ["merge", rule])
        return local

    def _merge(self, local, words):
        # It gives up its rights, and could not write here then.
        owner = [
            f"--user={pwd.getpwuid(os.geteuid()).pw_name}",
            f"--group={grp.getgrgid(os.getegid()).gr_name}",
        ]
        command = [MANAGER, *owner, "-iniFile", local, "-yes", "1", *words]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=os.environ | {"LLNG_DEFAULTCONFFILE": local},
            capture_output=True,
            text=True,
            timeout=60,
        )
        expect(done.returncode == 0, f"lemonldap-ng-cli: {done.stdout}{done.stderr}")

    def start(self, printed, command):
        local = self.configure(printed, command)
        self.running = portal(self.folder, self.port, local)
        return self

    def stop(self):
        if self.running:
            self.running.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def session(self, visitor):
        """The person it finds for that cookie, or None."""
        for cookie in visitor.cookies:
            path = os.path.join(self.folder, "sessions", cookie.value)
            if cookie.name == "lemonldap" and os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    return json.load(file)
        return None


class Walk:
    def __init__(self, steps, provider, made, portal):
        self.steps, self.provider, self.made, self.portal = steps, provider, made, portal
        self.visitor = Visitor()

    def come(self, visitor, person):
        """Its portal, our form, and back."""
        challenge = visitor.get(f"{self.portal.base}/", headers=PAGE)
        expect(challenge.status == 302, f"{challenge.status}: {self.portal.running.tail(1500)}")
        expect(challenge.location.startswith(f"{self.provider.endpoint}/auth?"), "elsewhere")
        answer = submit_sign_in(visitor, visitor.get(challenge.location), *person)
        return challenge, visitor.follow(answer, until="nowhere")

    def sign_in(self):
        with self.steps.step("its portal leads to us, with a nonce, and back to a session there"):
            challenge, page = self.come(self.visitor, ANN)
            expect(challenge.query().get("nonce"), "no nonce")
            expect(page.status == 200, f"{page.status}: {self.portal.running.tail(1500)}")
            session = self.portal.session(self.visitor)
            expect(session is not None, f"no session: {self.portal.running.tail(1500)}")
            for name, value in (
                ("_user", ANN_SUB),
                ("uid", "ann"),
                ("cn", "Ann Example"),
                ("mail", "ann@example.com"),
            ):
                expect(session.get(name) == value, f"{name} is {session.get(name)}")
            expect("staff" in session["roles"], f"roles are {session['roles']}")
            expect(self.userinfo(session).json()["sub"] == ANN_SUB, "another person's token")

    def refused(self):
        with self.steps.step("who has not the role that its rule asks for gets no session"):
            other = Visitor()
            _, page = self.come(other, BOB)
            expect(self.portal.session(other) is None, "bob has a session")
            expect(page.url.startswith(self.portal.base), f"it ends at {page.url}")
            # Its portal says nothing else of a refusal that a program could read.
            said = "User \"bob\" was not granted to open session"
            expect(said in self.portal.running.tail(), self.portal.running.tail(1500))
        with self.steps.step("an answer with a state that is not its own is refused there"):
            stranger = Visitor()
            answer = f"{self.made.redirect_uris[0]}&code=c&state=1"
            expect(stranger.get(answer, headers=PAGE).status != 302, "it leads on")
            expect(self.portal.session(stranger) is None, "the stranger has a session")

    def sign_out(self):
        with self.steps.step("its sign-out ends our session and comes back without a question"):
            session = self.portal.session(self.visitor)
            answer = self.visitor.get(f"{self.portal.base}/?logout=1", headers=PAGE)
            expect(answer.location.startswith(f"{self.provider.endpoint}/logout?"), "elsewhere")
            answer = self.visitor.get(answer.location)
            expect(answer.status in (302, 303), f"we ask: {answer.status} {answer.text[:500]}")
            signed_out = f"{self.portal.base}/?logout=1"
            expect(answer.location == signed_out, f"it comes to {answer.location}")
            page = self.visitor.get(signed_out, headers=PAGE)
            expect(page.status == 200, f"the portal answers {page.status}")
            expect(self.portal.session(self.visitor) is None, "its session goes on")
            expect(self.userinfo(session).status == 401, "the access token is still good")
            challenge = self.visitor.get(f"{self.portal.base}/", headers=PAGE)
            page = self.visitor.get(challenge.location)
            expect('name="password"' in page.text, "we still know the person")

    def userinfo(self, session):
        bearer = {"Authorization": f"Bearer {session['_oidc_access_token']}"}
        return Visitor().get(f"{self.provider.endpoint}/userinfo", headers=bearer)


def run(program):
    steps = Steps("LemonLDAP::NG")
    steps.product, steps.version = "lemonldap-ng", version()
    steps.seen = "sign-in, roles, sign-out"
    with workspace("lemonldap-ng") as folder, Portal(folder) as place:
        realm = os.path.join(folder, "realm.json")
        write_realm(realm)
        provider = Portico(program, folder, realm)
        try:
            provider.set_up()
            with provider:
                with steps.step("the client is made, the printed file is merged by its command"):
                    made = Made(provider, "lemonldap-ng", place.base)
                    place.start(made.file(PRINTED), made.file(COMMAND))
                walk = Walk(steps, provider, made, place)
                walk.sign_in()
                walk.refused()
                walk.sign_out()
        except Stop:
            pass
    return steps

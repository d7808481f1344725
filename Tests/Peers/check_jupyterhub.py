"""JupyterHub with oauthenticator (PyPI), set up by what `--for` prints: who comes in, as what."""

import os
import re

import pypi
from portico import ANN, BOB, CLEO, Portico
from product import Made, confirmed, is_known, realm_in, sign_in
from running import Running, free_port, workspace
from steps import Steps, Stop, expect
from web import Visitor

HERE = os.path.dirname(os.path.abspath(__file__))


class Hub:
    def __init__(self, python, folder, port):
        self.folder = os.path.join(folder, "hub")
        self.base = f"http://127.0.0.1:{port}"
        self.python, self.port = python, port
        self.running = None
        os.makedirs(self.folder)

    def start(self, text):
        printed = os.path.join(self.folder, "jupyterhub_config.py")
        with open(printed, "w", encoding="utf-8") as file:
            file.write(text)
        environment = {
            "PATH": os.path.dirname(self.python) + os.pathsep + os.environ.get("PATH", ""),
            "HOME": self.folder,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PRINTED": printed,
            "HUB": self.base,
        }
        program = os.path.join(os.path.dirname(self.python), "jupyterhub")
        self.running = Running(
            [program, "-f", os.path.join(HERE, "jupyterhub_alone.py")],
            os.path.join(self.folder, "hub.log"),
            environment,
            self.folder,
        )
        self.running.serving(self.port, 60)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.running:
            self.running.stop()


class Walk:
    def __init__(self, steps, provider, hub):
        self.steps, self.provider, self.hub = steps, provider, hub

    def sign_in(self, visitor, person):
        """To where the hub's redirects end."""
        answer = visitor.get(f"{self.hub.base}/hub/oauth_login?next=%2Fhub%2Fhome")
        asked = visitor.follow(answer, until=self.provider.base)
        expect(asked.query().get("code_challenge_method") == "S256", "it sends no PKCE")
        return visitor.follow(sign_in(visitor, self.provider, asked, person), until="none")

    def admitted(self, visitor, person, admin):
        with self.steps.step(f"{person[0]} comes in{', as an administrator' if admin else ''}"):
            page = self.sign_in(visitor, person)
            expect(page.status == 200, f"{page.status}: {self.hub.running.tail(2000)}")
            expect(page.url == f"{self.hub.base}/hub/home", f"it ends at {page.url}")
            names = re.findall(r'user: "([^"]*)"', page.text)
            expect(names == [person[0]], f"the page is for {names}")
            status = visitor.get(f"{self.hub.base}/hub/admin").status
            expect(status == (200 if admin else 403), f"its administration answers {status}")

    def refused(self, visitor, person):
        with self.steps.step(f"{person[0]}, who has no role for it, gets 403"):
            page = self.sign_in(visitor, person)
            expect(page.status == 403, f"{page.status} at {page.url}")
            home = visitor.get(f"{self.hub.base}/hub/home")
            expect(home.status == 302, f"the page answers {home.status}")

    def sign_out(self, visitor):
        with self.steps.step("its sign-out ends our session and comes back"):
            expect(is_known(visitor, self.provider), "our session is over already")
            answer = visitor.get(f"{self.hub.base}/hub/logout")
            answer = visitor.follow(answer, until=f"{self.provider.endpoint}/logout")
            expect(answer.status == 302, f"{answer.status} at {answer.url}")
            page = confirmed(visitor, visitor.get(answer.location))
            page = visitor.follow(page, until=f"{self.hub.base}/")
            expect(page.location == f"{self.hub.base}/", f"it comes to {page.location}")
            expect(not is_known(visitor, self.provider), "our session goes on")
            home = visitor.get(f"{self.hub.base}/hub/home")
            expect(home.status == 302, f"the hub's page answers {home.status}")


def run(program):
    steps = Steps("jupyterhub")
    steps.product = "jupyterhub"
    steps.seen = "sign-in, roles admit and make administrators, 403 for others, sign-out"
    python = pypi.product("jupyterhub", "jupyterhub~=6.1", "oauthenticator~=17.4")
    own = pypi.version(python, "oauthenticator")
    steps.version = f"{pypi.version(python, 'jupyterhub')} with oauthenticator {own}"
    with workspace("jupyterhub") as folder:
        provider = Portico(program, folder, realm_in(folder)).set_up()
        try:
            with provider, Hub(python, folder, free_port()) as hub:
                with steps.step("it starts with what --for prints"):
                    made = Made(provider, "jupyterhub", hub.base)
                    hub.start(made.file("jupyterhub_config.py"))
                walk = Walk(steps, provider, hub)
                ann = Visitor()
                walk.admitted(ann, ANN, admin=True)
                walk.admitted(Visitor(), CLEO, admin=False)
                walk.refused(Visitor(), BOB)
                walk.sign_out(ann)
        except Stop:
            pass
    return steps

"""Streamlit (PyPI), its st.login, set up by what `--for` prints, in a real browser."""

import json
import os

import pypi
from portico import ANN, BOB, SUBJECTS, Portico
from product import Made, realm_in
from running import Running, free_port, workspace
from steps import Steps, Stop, expect
from webdriver import Chromium

NAME = "streamlit"
# What the printed page does not show: all that Streamlit knows of the person.
SHOWN = """
st.code(__import__("json").dumps(st.user.to_dict(), default=str))
"""


class App:
    def __init__(self, python, folder, port):
        self.python, self.port = python, port
        self.folder = os.path.join(folder, "app")
        self.base = f"http://127.0.0.1:{port}"
        self.running = None
        os.makedirs(os.path.join(self.folder, ".streamlit"))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, made):
        self.write(".streamlit/secrets.toml", made.file(".streamlit/secrets.toml"))
        self.write("app.py", made.file("app.py") + SHOWN)
        # A server for this machine only, which sends no statistics and opens no browser itself.
        options = {
            "server.address": "127.0.0.1",
            "server.port": self.port,
            "server.headless": "true",
            "browser.gatherUsageStats": "false",
        }
        self.running = Running(
            [
                *(self.python, "-m", "streamlit", "run", "app.py"),
                *(f"--{name}={value}" for name, value in options.items()),
            ],
            os.path.join(self.folder, "streamlit.log"),
            {"PATH": os.environ.get("PATH", ""), "HOME": self.folder, "PYTHONUNBUFFERED": "1"},
            self.folder,
        )
        self.running.serving(self.port, 60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.running:
            self.running.stop()


class Walk:
    def __init__(self, steps, provider, app, browser):
        self.steps, self.provider, self.app, self.browser = steps, provider, app, browser

    def begin(self):
        self.browser.open(f"{self.app.base}/")
        self.browser.click_text("button", "Sign in")
        self.browser.wait_until(
            lambda: self.browser.url.startswith(self.provider.base), "its way to us"
        )

    def offers(self, text):
        """Whether a button reads so, now; a page that goes away in the meantime offers nothing."""
        try:
            return text in [self.browser.text(button) for button in self.browser.find("button")]
        except RuntimeError:
            return False

    def sign_in(self, person, name, role):
        with self.steps.step(f"{person[0]} signs in: name, address and roles reach the app"):
            self.begin()
            self.browser.type("input[name=username]", person[0])
            self.browser.type("input[name=password]", person[1])
            self.browser.click("form button")
            said = json.loads(self.browser.text(self.browser.wait_for("code", 30)))
            expect(said["is_logged_in"] is True, f"it is {said}")
            expect(said["sub"] == SUBJECTS[person[0]], f"sub is {said['sub']}")
            expect(said["name"] == name, f"name is {said['name']}")
            expect(said["email"] == f"{person[0]}@example.com", f"email is {said['email']}")
            expect(role in said["realm_access"]["roles"], f"roles are {said['realm_access']}")
            expect(name in self.browser.text(), "the page does not greet them")

    def sign_out(self):
        with self.steps.step("st.logout ends our session, too, and comes back"):
            self.browser.click_text("button", "Sign out")
            self.browser.wait_until(lambda: self.offers("Sign in"), "the app's signed-out page")
            expect(self.browser.url == f"{self.app.base}/", f"it ends at {self.browser.url}")
            self.browser.open(f"{self.provider.issuer}/account")
            self.browser.wait_for("input[name=password]")


def run(program):
    steps = Steps(NAME)
    steps.product = NAME
    steps.seen = "sign-in in Chromium, roles, sign-out"
    python = pypi.product(NAME, "streamlit[auth]~=1.67")
    steps.version = pypi.version(python, NAME)
    with workspace(NAME) as folder:
        provider = Portico(program, folder, realm_in(folder)).set_up()
        try:
            with provider, App(python, folder, free_port()) as app:
                with steps.step("it starts with what --for prints"):
                    app.start(Made(provider, NAME, app.base))
                with Chromium(folder) as browser:
                    walk = Walk(steps, provider, app, browser)
                    walk.sign_in(ANN, "Ann Example", "staff")
                    walk.sign_out()
                    walk.sign_in(BOB, "Bob Exämple", "visitor")
        except Stop:
            pass
    return steps

"""oidc-agent (Debian) as a public client of our Provider: the printed commands, run by a shell.

Nothing is added to them but a moment between two lines: an agent prints where it listens before it
does, and who pastes them into a terminal is slower than a shell. The browser that it opens is a program of ours in front of the PATH, which
writes down the address; a visitor then does what the person would.
"""

import json
import os
import re
import subprocess
import time

from portico import ANN, Portico, write_realm
from product import Made
from running import Running, free_port, need, workspace
from steps import Steps, Stop, expect
from web import Visitor, form_with, submit_sign_in, unverified_claims

FIRST, LATER = "Terminal", "Terminal, from the second time on"
ACCOUNT = "portico"  # as the printed commands call it
AGENT = 'eval "$(oidc-agent)"\n'
LISTENS = 'import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ["OIDC_SOCK"])'
WAIT = f"until python3 -c '{LISTENS}' 2>/dev/null; do sleep 0.1; done\n"


def version():
    done = subprocess.run(
        [need("oidc-agent", "oidc-agent-cli"), "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    return done.stdout.split()[-1]


class Desk:
    """A person's account on a machine: a home of its own, an agent, a browser."""

    def __init__(self, folder):
        self.folder = folder
        self.started = None
        self.opened = os.path.join(folder, "opened")
        programs = os.path.join(folder, "programs")
        for place in (programs, os.path.join(folder, "tmp")):
            os.makedirs(place)
        browser = os.path.join(programs, "xdg-open")
        with open(browser, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nprintf "%s\\n" "$1" > "{self.opened}.part"\n')
            file.write(f'mv "{self.opened}.part" "{self.opened}"\n')
        os.chmod(browser, 0o755)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("OIDC", "XDG_")) and name != "DISPLAY"
        } | {
            "HOME": folder,
            "TMPDIR": os.path.join(folder, "tmp"),
            "PATH": f"{programs}:{os.environ['PATH']}",
        }

    def shell(self, text):
        """Starts the commands; afterwards the shell says which agent it made."""
        said = 'echo "$OIDC_SOCK $OIDCD_PID" > "$HOME/agent"'
        self.started = Running(
            ["sh", "-c", f"set -e\n{text.replace(AGENT, AGENT + WAIT)}\n{said}"],
            os.path.join(self.folder, "shell.log"),
            self.environment,
            self.folder,
        )
        return self.started

    def finish(self, shell, limit=30):
        status = shell.process.wait(limit)
        shell.stop()
        expect(status == 0, f"the commands end with {status}: {shell.tail(1500)}")
        with open(os.path.join(self.folder, "agent"), encoding="utf-8") as file:
            socket, number = file.read().split()
        self.environment |= {"OIDC_SOCK": socket, "OIDCD_PID": number}

    def address(self, shell, limit=20):
        """What the browser was opened with."""
        end = time.monotonic() + limit
        while not os.path.exists(self.opened):
            expect(shell.is_alive and time.monotonic() < end, f"no browser: {shell.tail(1500)}")
            time.sleep(0.05)
        with open(self.opened, encoding="utf-8") as file:
            return file.read().strip()

    def run(self, *command):
        return subprocess.run(
            command,
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
        )

    def token(self, *options):
        done = self.run("oidc-token", *options, ACCOUNT)
        expect(done.returncode == 0, f"oidc-token: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def stop_agent(self):
        self.run("oidc-agent", "--kill")
        for name in ("OIDCD_PID", "OIDC_SOCK"):
            self.environment.pop(name, None)

    def close(self):
        """Ends the agent also where the commands did not come to their end."""
        if not self.started:
            return
        self.started.stop()
        said = re.findall(r"^Agent pid (\d+)$", self.started.tail(), re.MULTILINE)
        if said:
            self.environment["OIDCD_PID"] = said[-1]
            self.stop_agent()


class Walk:
    def __init__(self, steps, provider, made, desk):
        self.steps, self.provider, self.made, self.desk = steps, provider, made, desk
        self.password = f"--pw-file={desk.folder}/.oidc-agent-portico"

    def userinfo(self, token):
        return Visitor().get(
            f"{self.provider.endpoint}/userinfo", headers={"Authorization": f"Bearer {token}"}
        )

    def sign_in(self):
        visitor = Visitor()
        with self.steps.step("oidc-gen opens our sign-in page, with PKCE S256 and no secret"):
            expect(self.made.secret is None, "the client has a secret")
            shell = self.desk.shell(self.made.file(FIRST))
            page = visitor.get(self.desk.address(shell))
            expect("code_challenge_method=S256" in page.url, "no S256")
            expect(page.status == 200, f"the sign-in page answers {page.status}")
        with self.steps.step("it asks for consent always; the code goes to its own port"):
            page = submit_sign_in(visitor, page, *ANN)
            action, fields, buttons = form_with(page, "csrf")
            expect(("action", "allow") in buttons, f"the page offers {buttons}")
            answer = visitor.post(action, fields | {"action": "allow"})
            expect(answer.location.startswith(self.made.redirect_uris[0]), answer.location)
            page = visitor.get(answer.location)
            expect(page.status == 200 and "Success" in page.text, page.text[:500])
            self.desk.finish(shell)
        with self.steps.step("oidc-token gives an access token of the right person"):
            token = self.desk.token()
            person = self.userinfo(token).json()
            for name, value in (
                ("sub", "5f0c1d34-6c1e-4a49-9d0a-2f6a9a1f0a01"),
                ("name", "Ann Example"),
                ("email", "ann@example.com"),
            ):
                expect(person.get(name) == value, f"{name} is {person.get(name)}")
            expect(unverified_claims(token)["azp"] == self.made.client_id, "another client's")
            expect(self.desk.token() == token, "it was refreshed without need")

    def stored(self):
        """The refresh token in its file, which it decrypts for its owner."""
        done = self.desk.run("oidc-gen", self.password, f"--print={ACCOUNT}")
        expect(done.returncode == 0, f"oidc-gen --print: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)["refresh_token"]

    def refresh(self):
        first = self.stored()
        with self.steps.step("it refreshes the access token when it is told to, again and again"):
            tokens = [self.desk.token("--force-new") for _ in range(3)]
            numbers = {unverified_claims(token)["jti"] for token in tokens}
            expect(len(numbers) == 3, f"there are {len(numbers)} of them")
            expect(self.userinfo(tokens[-1]).status == 200, "the last one is not good")
        with self.steps.step("it stores the refresh token that follows, for the used one is dead"):
            expect(self.stored() != first, "the file has the old one")

    def restart(self):
        with self.steps.step("an agent that is started anew goes on with what the last one stored"):
            self.desk.stop_agent()
            expect(self.desk.run("oidc-token", ACCOUNT).returncode != 0, "the agent still runs")
            self.desk.finish(self.desk.shell(self.made.file(LATER)))
            tokens = [self.desk.token(), self.desk.token("--force-new")]
            expect(tokens[0] != tokens[1], "the same token")
            expect(self.userinfo(tokens[1]).json()["email"] == "ann@example.com", "another person")
            return tokens[1]

    def delete(self, token):
        with self.steps.step("oidc-gen --delete takes back the tokens here"):
            done = self.desk.run("oidc-gen", self.password, "--confirm-yes", "--delete", ACCOUNT)
            expect(done.returncode == 0, f"{done.stdout}{done.stderr}")
            expect(self.userinfo(token).status == 401, "the access token is still good")
            expect(self.desk.run("oidc-token", ACCOUNT).returncode != 0, "it is still there")


def run(program):
    steps = Steps("oidc-agent")
    steps.product, steps.version = "oidc-agent", version()
    steps.seen = "sign-in, refresh, restart, revocation"
    with workspace("oidc-agent") as folder:
        realm = os.path.join(folder, "realm.json")
        write_realm(realm)
        provider = Portico(program, folder, realm)
        home = os.path.join(folder, "home")
        os.makedirs(home)
        desk = Desk(home)
        try:
            with steps.step("the client is made, at a port of its own"):
                provider.set_up()
                made = Made(provider, "oidc-agent", f"http://localhost:{free_port()}")
            with provider:
                walk = Walk(steps, provider, made, desk)
                walk.sign_in()
                walk.refresh()
                walk.delete(walk.restart())
        except Stop:
            pass
        finally:
            desk.close()
    return steps

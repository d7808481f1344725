"""glewlwyd as the server for `portico login`, after a check that the peer itself works."""

import json
import os
import re
import subprocess
import threading
import time

from glewlwyd import Glewlwyd
from running import free_port, workspace
from steps import Steps, Stop, expect
from web import Visitor, address, code_verifier, s256, unverified_claims
from webdriver import Chromium

SCOPE = "openid profile email"


def check_peer(steps, server, port):
    """The code flow by plain HTTP, so that a failure below is known to be ours."""
    visitor = Visitor()
    with steps.step("the peer alone: discovery announces S256"):
        metadata = visitor.get(f"{server.issuer}/.well-known/openid-configuration").json()
        expect(metadata["issuer"] == server.issuer, "another issuer")
        expect("S256" in metadata["code_challenge_methods_supported"], "no S256")
    verifier = code_verifier()
    redirect_uri = f"http://127.0.0.1:{port}/callback"
    request = address(
        metadata["authorization_endpoint"],
        response_type="code",
        client_id=server.client_id,
        redirect_uri=redirect_uri,
        scope=SCOPE,
        state="state-of-the-check",
        nonce="nonce-of-the-check",
        code_challenge=s256(verifier),
        code_challenge_method="S256",
    )
    with steps.step("the peer alone: sign-in and consent give a code with iss"):
        signed_in = visitor.send(
            "POST",
            f"{server.base}/api/auth/",
            document={"username": server.username, "password": server.password},
        )
        expect(signed_in.status == 200, f"sign-in answers {signed_in.status}")
        granted = visitor.send(
            "PUT",
            f"{server.base}/api/auth/grant/{server.client_id}/",
            document={"scope": SCOPE},
        )
        expect(granted.status == 200, f"consent answers {granted.status}")
        response = visitor.get(request + "&g_continue").query()
        expect(response["state"] == "state-of-the-check", "another state")
        expect(response["iss"] == server.issuer, "another iss")
    with steps.step("the peer alone: code, UserInfo, refresh; a second use is refused"):
        form = {
            "grant_type": "authorization_code",
            "code": response["code"],
            "redirect_uri": redirect_uri,
            "client_id": server.client_id,
            "code_verifier": verifier,
        }
        wrong = visitor.post(metadata["token_endpoint"], form | {"code_verifier": code_verifier()})
        expect(wrong.status == 403 or wrong.status == 400, f"a wrong verifier gives {wrong.status}")
        answer = visitor.post(metadata["token_endpoint"], form)
        expect(answer.status == 200, f"the token endpoint answers {answer.status}: {answer.text}")
        token = answer.json()
        expect(unverified_claims(token["id_token"])["nonce"] == "nonce-of-the-check", "no nonce")
        bearer = {"Authorization": f"Bearer {token['access_token']}"}
        person = visitor.get(metadata["userinfo_endpoint"], headers=bearer).json()
        expect(person["email"] == server.email, "another person")
        refresh = {
            "grant_type": "refresh_token",
            "refresh_token": token["refresh_token"],
            "client_id": server.client_id,
        }
        expect(visitor.post(metadata["token_endpoint"], refresh).status == 200, "no refresh")
        again = visitor.post(metadata["token_endpoint"], form)
        expect(again.status in (400, 403), f"the second use answers {again.status}")


class CommandLine:
    """`portico` as a person on this machine runs it, with a home of its own."""

    def __init__(self, program, home):
        self.program = program
        self.environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": home,
            "XDG_CONFIG_HOME": os.path.join(home, "config"),
            "XDG_DATA_HOME": os.path.join(home, "data"),
            "XDG_STATE_HOME": os.path.join(home, "state"),
            "NO_COLOR": "1",
            "LANG": "C.UTF-8",
        }

    def run(self, *arguments, limit=60):
        done = subprocess.run(
            [self.program, *arguments],
            capture_output=True,
            text=True,
            timeout=limit,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def succeed(self, *arguments):
        status, output, talk = self.run(*arguments)
        expect(status == 0, f"portico {arguments[0]} ends with {status}: {talk[-1500:]}")
        return output

    def login(self, act, *arguments, limit=120):
        """Starts `login`, hands the printed address to `act`, returns status and what was said."""
        process = subprocess.Popen(
            [self.program, "login", "--no-browser", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
        )
        said = []
        reader = threading.Thread(target=lambda: said.extend(iter(process.stdout.readline, "")))
        reader.start()
        try:
            end = time.monotonic() + 30
            found = None
            while not found:
                found = re.search(r"https?://\S+[?&]client_id=\S+", "".join(said))
                ended = process.poll() is not None
                if not found and (ended or time.monotonic() > end):
                    raise AssertionError(f"login printed no address: {''.join(said)[-1500:]}")
                time.sleep(0.05)
            act(found.group(0), lambda: process.poll() is not None)
            status = process.wait(limit)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            reader.join(5)
            process.stdout.close()
        return status, "".join(said)


def check_login(steps, program, server, port, folder):
    """`portico login` in a real browser against the peer, then the commands that use it."""
    home = os.path.join(folder, "home")
    os.makedirs(home)
    command = CommandLine(program, home)
    with steps.step("portico login ends signed in, in a real browser"), Chromium(folder) as browser:

        def act(url, done):
            server.sign_in(
                browser,
                url,
                lambda: done() or browser.url.startswith("http://127.0.0.1:%d/" % port),
            )

        status, said = command.login(
            act,
            "--issuer",
            server.issuer,
            "--client-id",
            server.client_id,
            "--scope",
            SCOPE,
            "--callback-port",
            str(port),
            "--timeout",
            "90s",
        )
        expect(status == 0, f"login ends with {status}: {said[-2000:]}")
        expect(server.email in said, f"no one is named: {said[-2000:]}")
    with steps.step("portico userinfo, whoami and token use the session"):
        person = json.loads(command.succeed("userinfo"))
        expect(person["email"] == server.email, "another person")
        expect(server.email in command.succeed("whoami"), "whoami names no one")
        first = command.succeed("token").strip()
        expect(first.count(".") == 2, "not a JWT of the peer")
    with steps.step("portico token refreshes what has expired, and only then"):
        expires = unverified_claims(command.succeed("token").strip())["exp"]
        time.sleep(max(0, expires - time.time()) + 0.2)
        fresh = command.succeed("token").strip()
        expect(unverified_claims(fresh)["exp"] > time.time(), "the expired token came again")
        expect(command.succeed("token").strip() == fresh, "it was refreshed without need")
        person = json.loads(command.succeed("userinfo"))
        expect(person["email"] == server.email, "another person after the refresh")
    with steps.step("portico logout ends it"):
        command.succeed("logout", "--no-browser")
        status, _, _ = command.run("token")
        expect(status == 3, f"token after logout ends with {status}")


def run(program):
    """`program` is the built portico, or None to check the peer alone."""
    steps = Steps("glewlwyd")
    port = free_port()
    with workspace("glewlwyd") as folder:
        try:
            with Glewlwyd(folder, [port]) as server:
                check_peer(steps, server, port)
            if program is None:
                steps.skipped("portico login: the program is not built")
                return steps
            fresh = os.path.join(folder, "second")
            os.makedirs(fresh)
            with Glewlwyd(fresh, [port], access_token_seconds=8) as server:
                check_login(steps, program, server, port, fresh)
        except Stop:
            pass
    return steps

"""An unmodified Canaille (PyPI) as an OpenID Provider on loopback, with a database in a folder."""

import os
import subprocess
import urllib.parse

import pypi
from running import Running, free_port
from steps import expect
from web import form_with, forms

SCOPES = ("openid", "profile", "email")


class Canaille:
    """The running server and what a client must know about it."""

    client_id = "portico-cli"
    confidential_id = "peer-web"
    # Without a space, which is + in Basic (RFC 6749 appendix B): Canaille reads %20 only.
    confidential_secret = "peer-web:100%secret+more/&="
    username = "ann"
    other = "bob"
    # Of both.
    password = "correct horse battery"
    name = "Ann Example"
    email = "ann@example.com"

    def __init__(self, folder, callback_ports, redirect_uris, access_token_seconds=16):
        # Three extras: its pages, the protocol, a database in a file; and the server it recommends.
        extras = "canaille[front,oidc,server,sqlite]~=0.3.6"
        self.python = pypi.product("canaille", extras)
        self.version = pypi.version(self.python, "canaille")
        self.folder = folder
        self.port = free_port()
        self.base = self.issuer = f"http://127.0.0.1:{self.port}"
        self.callbacks = [f"http://127.0.0.1:{port}/callback" for port in callback_ports]
        self.redirect_uris = list(redirect_uris)
        self.access_token_seconds = access_token_seconds
        self.running = None

    def _command(self, *arguments):
        return [os.path.join(os.path.dirname(self.python), "canaille"), *arguments]

    def _environment(self, configured=True):
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.folder}
        if configured:
            environment["CANAILLE_CONFIG"] = os.path.join(self.folder, "config.toml")
        return environment

    def _call(self, *arguments, configured=True):
        done = subprocess.run(
            self._command(*arguments),
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
            env=self._environment(configured),
        )
        if done.returncode != 0:
            raise RuntimeError(f"canaille {' '.join(arguments[:2])}: {done.stderr[-1500:]}")
        return done.stdout.strip()

    def _configure(self):
        key = self._call("jwk", "create", "rsa", "--format", "toml", configured=False)
        database = os.path.join(self.folder, "canaille.sqlite")
        text = f"""
SECRET_KEY = "a-secret-of-a-temporary-folder"
SERVER_NAME = "127.0.0.1:{self.port}"
PREFERRED_URL_SCHEME = "http"
OAUTH2_TOKEN_EXPIRES_IN = {{authorization_code = {self.access_token_seconds}}}
[CANAILLE]
DATABASE = "sql"
[CANAILLE_SQL]
DATABASE_URI = "sqlite:///{database}"
[CANAILLE_OIDC]
ACTIVE_JWKS = [{key}]
"""
        with open(os.path.join(self.folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write(text)

    def _set_up(self):
        """By its own commands."""
        self._call("db", "upgrade")
        for user, given in ((self.username, "Ann"), (self.other, "Bob")):
            self._call(
                *("create", "user", "--quiet", "--user-name", user, "--password", self.password),
                *("--given-name", given, "--family-name", "Example", "--display-name", user),
                *("--formatted-name", f"{given} Example", "--emails", f"{user}@example.com"),
            )
        self._client(self.client_id, "none", self.callbacks)
        self._client(
            self.confidential_id,
            "client_secret_basic",
            self.redirect_uris,
            ("--client-secret", self.confidential_secret),
        )

    def _client(self, name, authentication, redirect_uris, more=()):
        several = [word for uri in redirect_uris for word in ("--redirect-uris", uri)]
        several += [word for scope in SCOPES for word in ("--scope", scope)]
        self._call(
            *("create", "client", "--quiet", "--client-id", name, "--client-name", name),
            *("--token-endpoint-auth-method", authentication, "--response-types", "code"),
            *("--grant-types", "authorization_code", "--grant-types", "refresh_token"),
            *("--id-token-signed-response-alg", "RS256", *several, *more),
        )
        # Without this its ID Tokens would have no audience and be refused: a client is not in its
        # own audience until it is put there.
        self._call("set", "client", name, "--audience", name)

    def __enter__(self):
        self._configure()
        self._set_up()
        log = os.path.join(self.folder, "canaille.log")
        command = self._command("run", "--bind", f"127.0.0.1:{self.port}")
        self.running = Running(command, log, self._environment(), self.folder)
        self.running.serving(self.port, 60)
        return self

    def __exit__(self, *_):
        self.running.stop()

    def sign_in(self, visitor, page, username, password=None):
        """Name and password, on a page each; what follows: consent, or the way back."""
        action, fields, _ = form_with(page, "login")
        page = visitor.follow(visitor.post(action, fields | {"login": username}), until="none")
        action, fields, _ = form_with(page, "password")
        answer = visitor.post(action, fields | {"password": password or self.password})
        # Redirects that stay there; the one that leaves is the caller's.
        while answer.status in (302, 303) and answer.location.startswith(f"{self.base}/"):
            answer = visitor.get(answer.location)
        return answer

    def consent(self, visitor, page, answer="accept"):
        """Where it asks; it remembers who agreed once."""
        if page.status in (302, 303):
            return page
        (form,) = [f for f in forms(page) if ("answer", answer) in f["buttons"]]
        return visitor.post(
            urllib.parse.urljoin(page.url, form["action"]), form["fields"] | {"answer": answer}
        )

    def walk(self, visitor, address, username):
        """All of it for a request of a client; the redirect that leads back to it."""
        page = visitor.follow(visitor.get(address), until="none")
        answer = self.consent(visitor, self.sign_in(visitor, page, username))
        expect(answer.status in (302, 303), f"{answer.status} at {answer.url}: {answer.text[:800]}")
        return answer

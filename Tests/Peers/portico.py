"""Our Provider for the peers: the built program, the realm in realm.json, one data folder."""

import json
import os
import subprocess
import time

from running import Missing, Running, free_port
from web import Visitor

HERE = os.path.dirname(os.path.abspath(__file__))
REALM = "peers"
ANN = ("ann", "correct horse battery")
BOB = ("bob", "pässwörd of Bob & co")
CLEO = ("cleo", "cleo has a password")
# Who they are in ID Tokens.
SUBJECTS = {
    "ann": "5f0c1d34-6c1e-4a49-9d0a-2f6a9a1f0a01",
    "bob": "5f0c1d34-6c1e-4a49-9d0a-2f6a9a1f0a02",
    "cleo": "5f0c1d34-6c1e-4a49-9d0a-2f6a9a1f0a03",
}
BASIC_SECRET = "basic-secret-of-the-peers-realm"
POST_SECRET = "post-secret-of-the-peers-realm"
APACHE_SECRET = "apache: 100% secret + more/&="


def binary(given=None):
    """The program: named, from PORTICO_BINARY, or the newest build in the checkout."""
    candidates = [given or os.environ.get("PORTICO_BINARY")]
    if candidates == [None]:
        root = os.path.dirname(os.path.dirname(HERE))
        candidates = [
            os.path.join(root, ".build", kind, "portico") for kind in ("release", "debug")
        ]
        candidates = [path for path in candidates if os.path.exists(path)]
        candidates.sort(key=os.path.getmtime, reverse=True)
    if not candidates or not os.path.exists(candidates[0]):
        raise Missing("portico is not built: swift build --traits Server --product portico")
    return os.path.abspath(candidates[0])


def crowd_member(number):
    """Name and password of one of the crowd."""
    return f"person-{number}", f"the password of person {number}"


def write_realm(path, client_keys=None, signed_out=(), crowd=0):
    """A realm file for the import; the key of `peer-key` is made by the run that uses it.
    `signed_out`: where sign-outs come back to, exactly, for these have a port. `crowd`: so many more
    people, `person-0` and so on, see `crowd_member`."""
    with open(os.path.join(HERE, "realm.json"), encoding="utf-8") as file:
        realm = json.load(file)
    if client_keys is None:
        realm["clients"] = [c for c in realm["clients"] if c["clientId"] != "peer-key"]
    for client in realm["clients"]:
        attributes = client.get("attributes", {})
        if attributes.get("jwks.string") == "@CLIENT_KEYS@":
            attributes["jwks.string"] = json.dumps(client_keys)
        if attributes.get("post.logout.redirect.uris") == "@SIGNED_OUT@":
            attributes["post.logout.redirect.uris"] = "##".join(signed_out) or "-"
    for number in range(crowd):
        name, password = crowd_member(number)
        realm["users"].append(
            {
                "username": name,
                "email": f"{name}@example.com",
                "enabled": True,
                "credentials": [{"type": "password", "value": password, "temporary": False}],
            }
        )
    with open(path, "w", encoding="utf-8") as file:
        json.dump(realm, file, ensure_ascii=False)


class Portico:
    """`portico serve`; `start` and `kill` may alternate on the same data folder and port. Without a
    realm file it serves no realm."""

    def __init__(
        self,
        program,
        folder,
        realm_file=None,
        data=None,
        environment=None,
        options=(),
        public_url=None,
    ):
        self.program = program
        self.folder = folder
        self.realm_file = realm_file
        self.data = data or os.path.join(folder, "data")
        self.environment = environment
        self.options = list(options)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.issuer = f"{self.base}/realms/{REALM}"
        self.endpoint = f"{self.issuer}/protocol/openid-connect"
        # Where a proxy in front of it is reached.
        self.public_url = public_url or self.base
        self.running = None

    def administer(self, *arguments, given=""):
        """A command of the program on the data folder; what it says on stdout."""
        command = [self.program, *arguments, "--data-directory", self.data, "--no-input"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=60,
            env=self._environment(),
            cwd=self.folder,
            input=given,
        )
        if done.returncode != 0:
            raise RuntimeError(f"portico {' '.join(arguments[:2])}: {done.stderr.strip()}")
        return done.stdout

    def set_up(self, post=()):
        """Imports the realm before the first start. Keycloak's file does not say which clients
        send their secret in the body; we admit one way for each client."""
        self.administer("realm", "import", self.realm_file, "--public-url", self.base)
        for client in post:
            self.administer("client", "update", client, "--authentication", "client_secret_post")
        return self

    def _environment(self):
        return {
            name: value
            for name, value in (self.environment or os.environ).items()
            if not name.startswith("PORTICO_")
        }

    def start(self, limit=60.0):
        command = [
            self.program,
            "serve",
            "--listen",
            f"127.0.0.1:{self.port}",
            "--public-url",
            self.public_url,
            "--data-directory",
            self.data,
            *(["--import-realm", self.realm_file] if self.realm_file else []),
            *self.options,
        ]
        self.running = Running(
            command, os.path.join(self.folder, "portico.log"), self._environment(), self.folder
        )
        try:
            self.running.wait_for_port(self.port, limit)
            asked = "/readyz"
            if self.realm_file:
                asked = f"/realms/{REALM}/.well-known/openid-configuration"
            answer = Visitor().get(self.base + asked)
            if answer.status != 200:
                raise RuntimeError(f"{asked} answers {answer.status}:\n{self.running.tail()}")
        except BaseException:
            self.running.stop()
            raise
        return self

    def wait_until(self, question, what, limit=20.0):
        end = time.monotonic() + limit
        while not question():
            if time.monotonic() > end:
                raise AssertionError(f"not within {limit:.0f} s: {what}\n{self.running.tail(1500)}")
            time.sleep(0.1)

    def logged(self, *words):
        """The lines of the log that have all the words."""
        with open(self.running.log, encoding="utf-8", errors="replace") as file:
            return [line.strip() for line in file if all(word in line for word in words)]

    def kill(self):
        """SIGKILL. Returns the exit status, as `Running.kill` does."""
        return self.running.kill()

    def stop(self):
        if self.running:
            self.running.stop()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


def version(program):
    """What the program says it is, for the record of a run."""
    answer = subprocess.run(
        [program, "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    return answer.stdout.strip() or answer.stderr.strip()

"""Our Provider as a peer sees it: the built program, the realm of realm.json, one data folder."""

import json
import os
import subprocess

from running import Missing, Running, free_port
from web import Visitor

HERE = os.path.dirname(os.path.abspath(__file__))
REALM = "peers"
ANN = ("ann", "correct horse battery")
BOB = ("bob", "pässwörd of Bob & co")
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
        raise Missing("portico is not built: swift build --product portico")
    return os.path.abspath(candidates[0])


def write_realm(path, client_keys=None):
    """A realm file for the import; the key of `peer-key` is made by the run that uses it."""
    with open(os.path.join(HERE, "realm.json"), encoding="utf-8") as file:
        realm = json.load(file)
    if client_keys is None:
        realm["clients"] = [c for c in realm["clients"] if c["clientId"] != "peer-key"]
    for client in realm["clients"]:
        attributes = client.get("attributes", {})
        if attributes.get("jwks.string") == "@CLIENT_KEYS@":
            attributes["jwks.string"] = json.dumps(client_keys)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(realm, file, ensure_ascii=False)


class Portico:
    """`portico serve`; `start` and `kill` may alternate on the same data folder and port."""

    def __init__(self, program, folder, realm_file, data=None, environment=None, options=()):
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
        self.running = None

    def start(self, limit=60.0):
        command = [
            self.program,
            "serve",
            "--listen",
            f"127.0.0.1:{self.port}",
            "--public-url",
            self.base,
            "--data-directory",
            self.data,
            "--import-realm",
            self.realm_file,
            *self.options,
        ]
        environment = {
            name: value
            for name, value in (self.environment or os.environ).items()
            if not name.startswith("PORTICO_")
        }
        self.running = Running(
            command, os.path.join(self.folder, "portico.log"), environment, self.folder
        )
        try:
            self.running.wait_for_port(self.port, limit)
            answer = Visitor().get(f"{self.issuer}/.well-known/openid-configuration")
            if answer.status != 200:
                raise RuntimeError(f"discovery answers {answer.status}:\n{self.running.tail()}")
        except BaseException:
            self.running.stop()
            raise
        return self

    def kill(self):
        self.running.kill()

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

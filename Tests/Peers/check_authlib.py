"""Authlib in a virtual environment of its own, against our Provider."""

import base64
import json
import os
import subprocess
import sys

from portico import ANN, BASIC_SECRET, POST_SECRET, Portico, write_realm
from running import Missing, need, workspace
from steps import Steps

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ENVIRONMENT = os.path.join(ROOT, ".build-peers", "authlib")


def python():
    """The Python of the virtual environment, made once and again when requirements.txt changes."""
    program = os.path.join(ENVIRONMENT, "bin", "python")
    stamp = os.path.join(ENVIRONMENT, "requirements.txt")
    with open(os.path.join(HERE, "requirements.txt"), encoding="utf-8") as file:
        wanted = file.read()
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == wanted:
                return program
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", ENVIRONMENT], capture_output=True, text=True
    )
    if made.returncode != 0:
        raise Missing("python3 cannot make a virtual environment: apt-get install python3-venv")
    subprocess.run(
        [program, "-m", "pip", "install", "--quiet", "-r", os.path.join(HERE, "requirements.txt")],
        check=True,
        timeout=600,
    )
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)
    return program


def client_key():
    """A P-256 key for private_key_jwt: the private PEM and the public JWK set."""
    openssl = need("openssl", "openssl")

    def call(*arguments, given=None):
        return subprocess.run(
            [openssl, *arguments], input=given, capture_output=True, check=True, timeout=30
        ).stdout

    private = call("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
    # The public point is the last 64 bytes of an uncompressed P-256 SubjectPublicKeyInfo.
    point = call("pkey", "-pubout", "-outform", "DER", given=private)[-64:]

    def text(raw):
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    key = {
        "kty": "EC",
        "crv": "P-256",
        "x": text(point[:32]),
        "y": text(point[32:]),
        "alg": "ES256",
        "use": "sig",
        "kid": "peer-key-1",
    }
    return private.decode(), {"keys": [key]}


def run(program):
    steps = Steps("Authlib")
    interpreter = python()
    private, public = client_key()
    with workspace("authlib") as folder:
        realm = os.path.join(folder, "realm.json")
        write_realm(realm, public)
        with Portico(program, folder, realm).set_up(post=["peer-post"]) as provider:
            facts = {
                "issuer": provider.issuer,
                "person": ANN,
                "email": "ann@example.com",
                "clients": [
                    {
                        "id": "peer-basic",
                        "method": "client_secret_basic",
                        "secret": BASIC_SECRET,
                        "algorithm": "ES256",
                        "service": True,
                    },
                    {
                        "id": "peer-post",
                        "method": "client_secret_post",
                        "secret": POST_SECRET,
                        "algorithm": "RS256",
                    },
                    {
                        "id": "peer-key",
                        "method": "private_key_jwt",
                        "private_key": private,
                        "algorithm": "ES256",
                        "service": True,
                    },
                    {"id": "peer-native", "method": "none", "algorithm": "ES256"},
                ],
            }
            path = os.path.join(folder, "facts.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(facts, file)
            done = subprocess.run(
                [interpreter, os.path.join(HERE, "authlib_client.py"), path],
                stdout=subprocess.PIPE,
                text=True,
                timeout=180,
                env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
            )
            steps.take(done)
            if steps.failed:
                print(provider.running.tail(3000), file=sys.stderr)
    return steps

"""python-keycloak (PyPI), its class KeycloakOpenID, as the module that `--for` prints uses it."""

import json
import os
import subprocess
import sys

import pypi
from portico import ANN, BOB, SUBJECTS, Portico
from product import Made, realm_in
from running import free_port, workspace
from steps import Steps, Stop

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "python-keycloak"
GRANTS = ("authorization_code", "refresh_token", "client_credentials")


def run(program):
    steps = Steps(NAME)
    steps.product = NAME
    steps.seen = "sign-in, UserInfo, introspection, refresh, client credentials, sign-out"
    python = pypi.product(NAME, "python-keycloak~=7.1")
    steps.version = pypi.version(python, NAME)
    with workspace(NAME) as folder:
        provider = Portico(program, folder, realm_in(folder)).set_up()
        port = str(free_port())
        try:
            with steps.step("its client is made by --for, and gets the grant that a note names"):
                made = Made(provider, NAME, f"http://127.0.0.1:{port}")
                with open(os.path.join(folder, "sign_in.py"), "w", encoding="utf-8") as file:
                    file.write(made.file("sign_in.py"))
                more = [word for grant in GRANTS for word in ("--grant-type", grant)]
                provider.administer("client", "update", NAME, *more)
            with provider:
                facts = {
                    "folder": folder,
                    "port": port,
                    "issuer": provider.issuer,
                    "people": {"ann": ANN, "bob": BOB},
                    "subjects": SUBJECTS,
                }
                run_client(steps, python, facts)
                if steps.failed:
                    print(provider.running.tail(3000), file=sys.stderr)
        except Stop:
            pass
    return steps


def run_client(steps, python, facts):
    """In a process of its own, for it has another Python; its lines are counted as ours."""
    path = os.path.join(facts["folder"], "facts.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(facts, file)
    done = subprocess.run(
        [python, os.path.join(HERE, "keycloak_client.py"), path],
        stdout=subprocess.PIPE,
        text=True,
        timeout=180,
        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
    )
    steps.take(done)

"""python-keycloak (PyPI), its class KeycloakAdmin, makes a realm of an app with roles by itself."""

import json
import os
import subprocess
import sys

import pypi
from portico import Portico
from running import workspace
from steps import Steps, Stop

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "python-keycloak-admin"
PASSWORD = "a password of the administrator"
SWITCHES = ("--admin-rest", "on", "--admin-master", "on", "--admin-password-grant", "on")


def run(program):
    steps = Steps(NAME)
    python = pypi.product("python-keycloak", "python-keycloak~=7.1")
    with workspace(NAME) as folder:
        provider = Portico(program, folder, options=SWITCHES)
        try:
            with provider:
                with steps.step("the server makes the realm master, and a command its administrator"):
                    words = ("--realm", "master", "--role", "admin", "--password-file", "-")
                    provider.administer("user", "create", "root", *words, given=PASSWORD)
                path = os.path.join(folder, "facts.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({"base": provider.base, "password": PASSWORD}, file)
                done = subprocess.run(
                    [python, os.path.join(HERE, "keycloak_admin_client.py"), path],
                    stdout=subprocess.PIPE,
                    text=True,
                    timeout=180,
                    env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
                )
                steps.take(done)
                if steps.failed:
                    print(provider.running.tail(3000), file=sys.stderr)
        except Stop:
            pass
    return steps

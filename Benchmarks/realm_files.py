"""Realm files as Keycloak exports them, of any size, for measurements.

    python3 Benchmarks/realm_files.py FILE [--people N] [--clients N] [--realms N]
"""

import argparse
import functools
import json
import subprocess
import uuid

HASH = {
    "secretData": json.dumps(
        {
            "value": "q8bYkU2qEGkkcwzv6cLOrZ7rUqvRNSVGd3sxkS8vR9w=",
            "salt": "bXkgc2FsdCBpcyBmcm9tIGhlcmU=",
            "additionalParameters": {},
        }
    ),
    "credentialData": json.dumps(
        {
            "hashIterations": 5,
            "algorithm": "argon2",
            "additionalParameters": {
                "hashLength": ["32"],
                "memory": ["7168"],
                "type": ["id"],
                "version": ["1.3"],
                "parallelism": ["1"],
            },
        }
    ),
}
ROLES = ["reader", "writer", "default-roles-bench"]


def identifier(*names):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(str(name) for name in names)))


def person(realm, number):
    return {
        "id": identifier(realm, "person", number),
        "username": f"person-{number}",
        "firstName": f"Person {number}",
        "lastName": "Example",
        "email": f"person-{number}@example.com",
        "emailVerified": True,
        "enabled": True,
        "createdTimestamp": 1700000000000 + number,
        "totp": False,
        "attributes": {"department": ["sales"], "locale": ["en"], "note": ["x" * 200]},
        "credentials": [{"id": identifier(realm, "credential", number), "type": "password",
                         "userLabel": "My password", "createdDate": 1700000000000} | HASH],
        "disableableCredentialTypes": [],
        "requiredActions": [],
        "realmRoles": ROLES,
        "clientRoles": {"account": ["view-profile"]},
        "notBefore": 0,
        "groups": [f"/group-{number % 20}"],
    }  # fmt: skip


def client(realm, number):
    return {
        "id": identifier(realm, "client", number),
        "clientId": f"client-{number}",
        "name": f"Client {number}",
        "enabled": True,
        "clientAuthenticatorType": "client-secret",
        "secret": f"a secret of client {number} that is long",
        "redirectUris": [f"https://app-{number}.example.com/*"],
        "webOrigins": ["+"],
        "publicClient": number % 2 == 0,
        "standardFlowEnabled": True,
        "protocol": "openid-connect",
        "attributes": {"pkce.code.challenge.method": "S256", "post.logout.redirect.uris": "+"},
        "fullScopeAllowed": True,
        "defaultClientScopes": ["web-origins", "acr", "profile", "roles", "basic", "email"],
        "optionalClientScopes": ["address", "phone", "offline_access", "microprofile-jwt"],
    }


@functools.cache
def keys():
    """A signing key of the realms, as a full export has it: no other is made then."""
    made = subprocess.run(["openssl", "genrsa", "2048"], capture_output=True, text=True, check=True)
    lines = made.stdout.splitlines()
    config = {"privateKey": ["".join(lines[1:-1])], "priority": ["100"], "active": ["true"]}
    return [{"id": identifier("key"), "name": "rsa", "providerId": "rsa", "config": config}]


def write_realm(file, name, people=0, clients=0):
    """The people stand before the clients, as in Keycloak's exports."""
    file.write(json.dumps({
        "id": identifier(name), "realm": name, "enabled": True,
        "components": {"org.keycloak.keys.KeyProvider": keys()},
        "roles": {
            "realm": [{"id": identifier(name, "role", role), "name": role} for role in ROLES],
            "client": {"account": [{"id": identifier(name, "view"), "name": "view-profile"}]}
            | {f"client-{number}": [] for number in range(clients)},
        },
        "groups": [{"id": identifier(name, "group", number), "name": f"group-{number}"}
                   for number in range(20)],
    })[:-1])  # fmt: skip
    file.write(', "users": [')
    for number in range(people):
        file.write(("" if number == 0 else ",\n") + json.dumps(person(name, number)))
    file.write('], "clients": [')
    account = {"clientId": "account", "publicClient": True}
    for number in range(-1, clients):
        one = account if number < 0 else client(name, number)
        file.write(("" if number < 0 else ",\n") + json.dumps(one))
    file.write("]}")


def people_in(megabytes):
    """How many people make a file of that size, of 1,000,000 bytes each."""
    return megabytes * 1_000_000 // len(json.dumps(person("bench-realm", 100_000)) + ",\n")


def write(path, people=0, clients=0, realms=1, name="bench-import"):
    with open(path, "w", encoding="utf-8") as file:
        if realms > 1:
            file.write("[")
        for number in range(realms):
            if number > 0:
                file.write(",\n")
            write_realm(file, name if realms == 1 else f"{name}-{number}", people, clients)
        if realms > 1:
            file.write("]")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--people", type=int, default=0)
    parser.add_argument("--clients", type=int, default=0)
    parser.add_argument("--realms", type=int, default=1)
    options = parser.parse_args()
    write(options.file, options.people, options.clients, options.realms)


if __name__ == "__main__":
    main()

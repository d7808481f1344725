#!/usr/bin/env python3
"""Compares a realm file of Keycloak with an export of the realm that it was imported into.

    python3 Tests/Peers/compare_realms.py ORIGINAL EXPORT [REALM]

Prints a line for each value that is not the same, and ends with 1 if there is one. Shares no code with
`portico realm diff`. What Keycloak derives, or writes in any order, is compared as what it means.
"""

import base64
import json
import sys

# Derived by Keycloak from something else.
DERIVED = {"containerId", "composite", "clientRole", "path", "parentId", "totp", "disableableCredentialTypes"}
# Kept in seconds, or not kept: docs/migrating-from-keycloak.md says so.
COARSE = {"createdTimestamp", "lastUpdatedDate"}
NAMES = ["clientId", "username", "identityProvider", "alias", "name", "client", "clientScope", "id"]
# In these, order means something.
ORDERED = {"attributes", "authenticationExecutions", "codes"}
# A password itself, of which an export has the hash.
PLAIN = "(plain)"


def names_of(items):
    """What tells the items from one another; None where nothing does."""
    found = [next((key for key in NAMES if key in item), None) for item in items]
    if None in found:
        return None
    names = [f"{key}={item[key]}" for key, item in zip(found, items)]
    names = [f"{name} {item.get('id')}" if names.count(name) > 1 else name for name, item in zip(names, items)]
    return names if len(set(names)) == len(names) else None


def der(text):
    lines = [line for line in text.split("\n") if not line.startswith("-----")]
    data = base64.b64decode("".join(lines))
    # An EC key by its number: SEQUENCE { 1, OCTET STRING }. The public half beside it is optional.
    if bytes.fromhex("06072a8648ce3d0201") in data:
        at = data.index(bytes.fromhex("02010104"))
        return data[at + 5:at + 5 + data[at + 4]].hex()
    # PKCS#8 of an RSA key holds PKCS#1 at its end: SEQUENCE { version, algorithm, OCTET STRING }.
    rsa = bytes.fromhex("06092a864886f70d0101010500")
    at = data.find(rsa)
    if at < 0:
        return data.hex()
    inner = data[at + len(rsa):]
    length = inner[1]
    return inner[2 + (length & 0x7F if length & 0x80 else 0):].hex()


def credential(item):
    item = dict(item)
    kind = item.pop("type", "password")
    if "hashedSaltedValue" in item:
        item = {
            "secretData": json.dumps({"value": item["hashedSaltedValue"], "salt": item["salt"]}),
            "credentialData": json.dumps({"hashIterations": item["hashIterations"], "algorithm": item["algorithm"]}),
        }
    if kind == "password" and "value" in item:
        return kind, PLAIN
    secret = json.loads(item.get("secretData") or "{}")
    data = json.loads(item.get("credentialData") or "{}")
    if kind == "password":
        secret.pop("additionalParameters", None)
        return "password", {
            "secret": secret,
            "algorithm": data.get("algorithm"),
            "iterations": data.get("hashIterations"),
            "more": data.get("additionalParameters") or data.get("algorithmData") or {},
        }
    return f"{kind} {item.get('id')}", {
        "label": item.get("userLabel"), "created": item.get("createdDate"), "secret": secret, "data": data,
    }


def meaning(value, key):
    """Nested dictionaries without what is derived or empty; sets as sorted lists."""
    if key == "credentials" and isinstance(value, list):
        return dict(credential(item) for item in value)
    if key in ("privateKey", "ecdsaPrivateKey", "eddsaPrivateKey") and isinstance(value, list):
        return [der(text) for text in value]
    if key == "secret" and isinstance(value, list):
        return [text.rstrip("=") for text in value]
    if isinstance(value, dict):
        if key == "attributes":
            # One text is a list of one; order means something.
            return {k: [str(x) for x in v] if isinstance(v, list) else [v] for k, v in value.items() if v not in (None, [])}
        found = {}
        for inner, item in value.items():
            if inner in DERIVED or inner == "createdDate":
                continue
            if inner in COARSE and isinstance(item, int):
                item //= 1000
            item = meaning(item, inner)
            if item not in (None, False, "", [], {}, 0):
                found[inner] = item
        return found
    if isinstance(value, list):
        items = [meaning(item, "") for item in value]
        if items and all(isinstance(item, dict) for item in items):
            names = names_of(value)
            if names:
                return dict(zip(names, items))
        elif key not in ORDERED and all(isinstance(item, str) for item in items):
            return sorted(item for item in items if item)
        return items
    return value


def client_defaults(realm):
    for client in realm.get("clients", []):
        client.setdefault("enabled", True)
        client.setdefault("standardFlowEnabled", True)
        client.setdefault("fullScopeAllowed", not client.get("consentRequired", False))
        client.setdefault("clientAuthenticatorType", "client-secret")
        client.setdefault("protocol", "openid-connect")
        if client.get("name") == client.get("clientId"):
            del client["name"]
        if client.get("publicClient"):
            client.pop("secret", None)


def user_meanings(realm):
    for user in realm.get("users", []):
        user["username"] = user["username"].lower()
        user["groups"] = [path if path.startswith("/") else "/" + path for path in user.get("groups", [])]


def differences(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(set(one) | set(other), key=str):
            yield from differences(one.get(key), other.get(key), f"{path}/{key}")
    elif one != other and not (one == PLAIN and other):
        yield path, one, other


def realm_of(path, name=None):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    realms = data if isinstance(data, list) else [data]
    realm = next(realm for realm in realms if name is None or realm["realm"] == name)
    client_defaults(realm)
    user_meanings(realm)
    return realm


def main():
    export = realm_of(sys.argv[2])
    original = realm_of(sys.argv[1], export["realm"])
    count = 0
    for key in original:
        one, other = meaning(original[key], key) or None, meaning(export.get(key), key) or None
        for path, one, other in differences(one, other, key):
            # Where the file is silent, Keycloak makes an id, a time or a list of scopes.
            last = path.rsplit("/", 1)[-1]
            if one is None and last in ("id", "secret", "createdTimestamp", "defaultClientScopes", "optionalClientScopes"):
                continue
            count += 1
            print(f"{path}: {json.dumps(one)[:100]} -> {json.dumps(other)[:100]}")
    sys.exit(1 if count else 0)


main()

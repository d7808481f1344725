#!/usr/bin/env python3
"""An unmodified LemonLDAP::NG (Debian) as an OpenID Provider on loopback, made fresh at each start.

Its portal runs by plackup, with the demonstration accounts that it comes with. Its configuration,
keys, sessions and caches are in a temporary folder.
"""

import json
import os
import subprocess

from running import Running, free_port, need, need_file

PORTAL = "/usr/share/lemonldap-ng/portal"
PACKAGES = (
    "liblemonldap-ng-portal-perl libstring-random-perl libio-string-perl libgd-securityimage-perl "
    "libimage-magick-perl libplack-perl"
)
# What its portal loads only where it is needed, and then fails without.
RECOMMENDED = ("String::Random", "IO::String", "GD::SecurityImage", "Image::Magick")

LOCAL = """\
[all]
logLevel = notice
[configuration]
type = File
dirName = {folder}/configuration
[portal]
staticPrefix = /static
templateDir = {portal}/templates
languages = en
[handler]
"""


def beginning(folder, base):
    """What its manager would save of any portal; the rest is its defaults."""

    def kept(name):
        path = os.path.join(folder, name)
        return {"Directory": path, "LockDirectory": os.path.join(path, "lock")}

    return {
        "cfgNum": 1,
        "cfgAuthor": "a test",
        "cfgDate": 1,
        "portal": f"{base}/",
        "domain": "127.0.0.1",
        "securedCookie": 0,
        "key": os.urandom(16).hex(),
        "locationRules": {"127.0.0.1": {"default": "accept"}},
        "authentication": "Demo",
        "userDB": "Same",
        "passwordDB": "Null",
        "registerDB": "Null",
        "globalStorage": "Apache::Session::File",
        "globalStorageOptions": kept("sessions"),
        "persistentStorage": "Apache::Session::File",
        "persistentStorageOptions": kept("persistent"),
        "localSessionStorage": "Cache::FileCache",
        "localSessionStorageOptions": {
            "namespace": "sessions",
            "cache_root": os.path.join(folder, "cache"),
            "default_expires_in": 600,
        },
    }


def installed(folder, configuration, more=""):
    """Writes its files; the path of the one that leads to the others, with the lines of `more`."""
    need_file(f"{PORTAL}/htdocs/index.psgi", PACKAGES)
    for name in ("configuration", "sessions/lock", "persistent/lock", "cache"):
        os.makedirs(os.path.join(folder, name))
    local = os.path.join(folder, "lemonldap-ng.ini")
    with open(local, "w", encoding="utf-8") as file:
        file.write(LOCAL.format(folder=folder, portal=PORTAL) + more)
    saved = os.path.join(folder, "configuration", "lmConf-1.json")
    with open(saved, "w", encoding="utf-8") as file:
        json.dump(configuration, file)
    return local


def portal(folder, port, local):
    """Starts its portal, which listens when this returns."""
    program = need("plackup", "libplack-perl")
    command = [program, "--server", "HTTP::Server::PSGI", "--env", "deployment"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    running = Running(
        [*command, f"{PORTAL}/htdocs/index.psgi"],
        os.path.join(folder, "lemonldap.log"),
        os.environ | {"LLNG_DEFAULTCONFFILE": local},
        folder,
    )
    return running.serving(port)


class LemonLDAP:
    """The running portal and what a client must know about it."""

    client_id = "portico"
    client_secret = "a secret of the client's in a temporary folder"
    # Of the demonstration: each has their name as the password.
    username, password = "dwho", "dwho"
    name, email = "Doctor Who", "dwho@badwolf.org"
    other = "rtyler"

    def __init__(self, folder, redirect_uris):
        self.folder = folder
        self.redirect_uris = redirect_uris
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.issuer = self.base
        self.running = None

    def __enter__(self):
        self._check_modules()
        local = installed(self.folder, beginning(self.folder, self.base) | self._configuration())
        self.running = portal(self.folder, self.port, local)
        return self

    def __exit__(self, *_):
        self.running.stop()

    def _check_modules(self):
        for module in RECOMMENDED:
            path = module.replace("::", "/") + ".pm"
            tried = subprocess.run(["perl", "-e", f"require '{path}'"], capture_output=True)
            if tried.returncode != 0:
                need_file(path, PACKAGES)

    def _configuration(self):
        """Of an OpenID Provider with one client."""
        private, public = self._signing_key()

        return {
            "portalDisplayResetPassword": 0,
            "portalDisplayRegister": 0,
            "issuerDBOpenIDConnectActivation": 1,
            "oidcServiceMetaDataIssuer": self.issuer,
            "oidcServicePrivateKeySig": private,
            "oidcServicePublicKeySig": public,
            "oidcServiceKeyIdSig": "test-1",
            "oidcRPMetaDataOptions": {
                "portico": {
                    "oidcRPMetaDataOptionsDisplayName": "A web application",
                    "oidcRPMetaDataOptionsClientID": self.client_id,
                    "oidcRPMetaDataOptionsClientSecret": self.client_secret,
                    "oidcRPMetaDataOptionsIDTokenSignAlg": "RS256",
                    "oidcRPMetaDataOptionsRedirectUris": " ".join(self.redirect_uris),
                    "oidcRPMetaDataOptionsRequirePKCE": 1,
                }
            },
            "oidcRPMetaDataExportedVars": {
                "portico": {"name": "cn", "email": "mail", "preferred_username": "uid"}
            },
        }

    def _signing_key(self):
        program = need("openssl", "openssl")

        def openssl(*arguments, given=None):
            return subprocess.run(
                [program, *arguments], input=given, capture_output=True, check=True, timeout=30
            ).stdout

        private = openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
        public = openssl("pkey", "-pubout", given=private)
        return private.decode(), public.decode()

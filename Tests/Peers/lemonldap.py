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
        program = need("plackup", "libplack-perl")
        need_file(f"{PORTAL}/htdocs/index.psgi", PACKAGES)
        self._check_modules()
        for name in ("configuration", "sessions/lock", "persistent/lock", "cache"):
            os.makedirs(os.path.join(self.folder, name))
        local = self._written("lemonldap-ng.ini", LOCAL.format(folder=self.folder, portal=PORTAL))
        self._written("configuration/lmConf-1.json", json.dumps(self._configuration()))
        command = [program, "--server", "HTTP::Server::PSGI", "--env", "deployment"]
        command += ["--host", "127.0.0.1", "--port", str(self.port)]
        self.running = Running(
            [*command, f"{PORTAL}/htdocs/index.psgi"],
            os.path.join(self.folder, "lemonldap.log"),
            os.environ | {"LLNG_DEFAULTCONFFILE": local},
            self.folder,
        )
        try:
            self.running.wait_for_port(self.port)
        except BaseException:
            self.running.stop()
            raise
        return self

    def __exit__(self, *_):
        self.running.stop()

    def _check_modules(self):
        for module in RECOMMENDED:
            path = module.replace("::", "/") + ".pm"
            tried = subprocess.run(["perl", "-e", f"require '{path}'"], capture_output=True)
            if tried.returncode != 0:
                need_file(path, PACKAGES)

    def _written(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def _configuration(self):
        """What its manager would save; the rest is its defaults."""
        private, public = self._signing_key()

        def kept(name):
            path = os.path.join(self.folder, name)
            return {"Directory": path, "LockDirectory": os.path.join(path, "lock")}

        return {
            "cfgNum": 1,
            "cfgAuthor": "a test",
            "cfgDate": 1,
            "portal": f"{self.base}/",
            "domain": "127.0.0.1",
            "securedCookie": 0,
            "key": os.urandom(16).hex(),
            "locationRules": {"127.0.0.1": {"default": "accept"}},
            "authentication": "Demo",
            "userDB": "Same",
            "passwordDB": "Null",
            "registerDB": "Null",
            "portalDisplayResetPassword": 0,
            "portalDisplayRegister": 0,
            "globalStorage": "Apache::Session::File",
            "globalStorageOptions": kept("sessions"),
            "persistentStorage": "Apache::Session::File",
            "persistentStorageOptions": kept("persistent"),
            "localSessionStorage": "Cache::FileCache",
            "localSessionStorageOptions": {
                "namespace": "sessions",
                "cache_root": os.path.join(self.folder, "cache"),
                "default_expires_in": 600,
            },
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

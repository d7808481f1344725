#!/usr/bin/env python3
"""An unmodified Apache with mod_auth_openidc (Debian) as a client of an OpenID Provider.

A private server: its own configuration, process id, log and shared memory in a temporary folder.
`/private/` needs a sign-in and answers with the claims as headers; `/api/` takes an access token
and asks the Provider's introspection endpoint about it. As a program it prints one JSON line and
runs until its standard input ends.
"""

import argparse
import os
import secrets
import subprocess

from running import Running, free_port, hold, need, need_file, workspace

MODULES = "/usr/lib/apache2/modules"
CLAIMS = (
    "iss",
    "sub",
    "name",
    "email",
    "email_verified",
    "preferred_username",
    "sid",
    "acr",
    "roles",
)


class Apache:
    """`redirect_uri` is known before the start, so that the Provider can be told about it."""

    def __init__(self, folder, port=None):
        self.folder = folder
        self.port = port or free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.redirect_uri = f"{self.base}/private/redirect_uri"
        self.signed_out = f"{self.base}/signed-out.html"
        self.private = f"{self.base}/private/index.html"
        self.api = f"{self.base}/api/index.html"
        self.running = None

    def start(
        self,
        issuer,
        client_id,
        client_secret,
        server_metadata,
        response_mode="query",
        authentication="client_secret_basic",
        resource_server=None,
    ):
        """`resource_server`: the client that introspects, by Basic, which the module takes from the
        metadata whatever the settings say; it has the same secret."""
        program = need("apache2", "apache2")
        need_file(f"{MODULES}/mod_auth_openidc.so", "libapache2-mod-auth-openidc")
        for part in ("run", "site/private", "site/api"):
            os.makedirs(os.path.join(self.folder, part), exist_ok=True)
        for page, text in (
            ("index.html", "public"),
            ("signed-out.html", "signed out"),
            ("private/index.html", "private"),
            ("api/index.html", "api"),
        ):
            with open(os.path.join(self.folder, "site", page), "w", encoding="utf-8") as file:
                file.write(f"<!doctype html><title>{text}</title><p>{text}</p>\n")
        configuration = os.path.join(self.folder, "apache.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(
                self._configuration(
                    issuer,
                    client_id,
                    client_secret,
                    server_metadata,
                    response_mode,
                    authentication,
                    resource_server or client_id,
                )
            )
        if os.geteuid() == 0:  # workers give up their rights and must still read the pages
            os.chmod(self.folder, 0o711)
        check = subprocess.run(
            [program, "-t", "-f", configuration], capture_output=True, text=True, timeout=30
        )
        if check.returncode != 0:
            raise RuntimeError(f"apache2 -t: {check.stdout}{check.stderr}")
        self.running = Running(
            [program, "-f", configuration, "-D", "FOREGROUND"],
            os.path.join(self.folder, "apache.out"),
        )
        self.running.serving(self.port)
        return self

    def stop(self):
        if self.running:
            self.running.stop()
            self.running = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def errors(self, size=6000):
        """The end of the error log, for messages."""
        path = os.path.join(self.folder, "error.log")
        if not os.path.exists(path):
            return ""
        with open(path, "rb") as file:
            return file.read()[-size:].decode("utf-8", "replace")

    def _configuration(
        self,
        issuer,
        client_id,
        secret,
        server_metadata,
        response_mode,
        authentication,
        resource_server,
    ):
        modules = "\n".join(
            f"LoadModule {name}_module {MODULES}/mod_{name}.so"
            for name in ("mpm_event", "authn_core", "authz_core", "authz_user", "dir", "mime")
            + ("headers", "auth_openidc")
        )
        identity = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
        claims = "\n".join(
            f'    Header set X-Claim-{claim.replace("_", "-")} "%{{OIDC_CLAIM_{claim}}}e" '
            f"env=OIDC_CLAIM_{claim}"
            for claim in CLAIMS
        )
        return f"""
ServerRoot "{self.folder}"
ServerName 127.0.0.1
DefaultRuntimeDir "{self.folder}/run"
PidFile "{self.folder}/run/apache.pid"
ErrorLog "{self.folder}/error.log"
LogLevel warn auth_openidc:info
Listen 127.0.0.1:{self.port}
{modules}
{identity}
TypesConfig /etc/mime.types
DocumentRoot "{self.folder}/site"
StartServers 1
ThreadsPerChild 25

OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret "{secret}"
OIDCProviderTokenEndpointAuth {authentication}
OIDCRedirectURI {self.redirect_uri}
OIDCDefaultURL {self.base}/index.html
OIDCCryptoPassphrase {secrets.token_hex(32)}
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCResponseType code
OIDCResponseMode {response_mode}
OIDCSessionType server-cache
OIDCCacheType shm
OIDCCacheEncrypt On
OIDCCookieHTTPOnly On
OIDCCookieSameSite On
OIDCRemoteUserClaim sub
OIDCPassClaimsAs environment
OIDCPassUserInfoAs claims
OIDCInfoHook access_token id_token userinfo refresh_token remote_user session
OIDCOAuthServerMetadataURL {server_metadata}
OIDCOAuthIntrospectionTokenParamName token
OIDCOAuthClientID {resource_server}
OIDCOAuthClientSecret "{secret}"
OIDCOAuthTokenIntrospectionInterval -1
OIDCOAuthRemoteUserClaim sub

<Directory "{self.folder}/site">
    Require all granted
</Directory>
<Location "/private/">
    AuthType openid-connect
    Require valid-user
{claims}
</Location>
<Location "/api/">
    AuthType oauth20
    Require valid-user
{claims}
</Location>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--issuer", required=True)
    parser.add_argument("--client-id", required=True)
    parser.add_argument("--secret-file", required=True)
    parser.add_argument("--server-metadata", required=True)
    parser.add_argument("--port", type=int)
    arguments = parser.parse_args()
    with open(arguments.secret_file, encoding="utf-8") as file:
        secret = file.read().strip()
    with workspace("apache") as folder, Apache(folder, arguments.port) as apache:
        apache.start(arguments.issuer, arguments.client_id, secret, arguments.server_metadata)
        hold(
            {
                "private": apache.private,
                "redirect_uri": apache.redirect_uri,
                "pid": apache.running.pid,
            }
        )


if __name__ == "__main__":
    main()

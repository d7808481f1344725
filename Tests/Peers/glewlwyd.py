#!/usr/bin/env python3
"""An unmodified glewlwyd (Debian) as an OpenID Provider on loopback, made fresh at each start.

As a program it prints one JSON line (issuer, client, person) and runs until its standard input
ends. Everything it writes is in a temporary folder.
"""

import argparse
import contextlib
import os
import shutil
import sqlite3
import subprocess
import time

from running import Running, free_port, hold, need, need_file, workspace
from web import Visitor
from web import address as with_query

SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
PAGES = "/usr/share/glewlwyd/webapp"
MODULES = "/usr/lib/glewlwyd"
# What the package's schema makes; good only inside the temporary database.
ADMINISTRATOR = {"username": "admin", "password": "password"}

TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "application/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
    ".ico": "image/x-icon",
}


class Glewlwyd:
    """The running server and what a client must know about it."""

    client_id = "portico-cli"
    confidential_id = "peer-web"
    # Without characters that RFC 6749 §2.3.1 encodes: glewlwyd takes what Basic carries as it is.
    confidential_secret = "peer-web-secret-in-a-temporary-folder"
    username = "ann"
    password = "correct horse battery"
    name = "Ann Example"
    email = "ann@example.com"
    # Another person, with the same password.
    other = "bob"

    def __init__(
        self, folder, callback_ports, redirect_uris=(), access_token_seconds=600, logout_uri=None
    ):
        """`logout_uri`: where the confidential client is told of logouts."""
        self.folder = folder
        self.logout_uri = logout_uri
        self.access_token_seconds = access_token_seconds
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.issuer = f"{self.base}/api/oidc"
        # glewlwyd compares redirect URIs as they are: each port must be registered.
        self.redirect_uris = [
            f"http://{host}:{port}/{path}"
            for port in callback_ports
            for host in ("127.0.0.1", "[::1]")
            for path in ("callback", "")
        ]
        self.confidential_redirect_uris = list(redirect_uris)
        self.running = None

    def __enter__(self):
        program = need("glewlwyd", "glewlwyd")
        need("openssl", "openssl")
        for path in (SCHEMA, PAGES):
            need_file(path, "glewlwyd glewlwyd-common")
        database = os.path.join(self.folder, "glewlwyd.db")
        with open(SCHEMA, encoding="utf-8") as schema, sqlite3.connect(database) as connection:
            connection.executescript(schema.read())
        connection.close()
        configuration = os.path.join(self.folder, "glewlwyd.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(self._configuration(database, self._pages()))
        log = os.path.join(self.folder, "glewlwyd.log")
        self.running = Running([program, f"--config-file={configuration}"], log)
        try:
            self.running.wait_for_port(self.port)
            self._set_up()
        except BaseException:
            self.running.stop()
            raise
        return self

    def __exit__(self, *_):
        self.running.stop()

    def _pages(self):
        """The package's pages with its links replaced by what they point at: glewlwyd serves
        nothing from outside its folder, and the package links its libraries and config.json."""
        pages = os.path.join(self.folder, "pages")
        shutil.copytree(PAGES, pages)
        settings = os.path.join(pages, "config.json")
        if os.path.isdir(settings):  # Debian 12 ships the file inside a folder of that name
            inner = os.path.join(settings, "config.json")
            os.rename(inner, os.path.join(self.folder, "config.json"))
            os.rmdir(settings)
            os.rename(os.path.join(self.folder, "config.json"), settings)
        return pages

    def _configuration(self, database, pages):
        types = ",\n".join(
            f'  {{ extension = "{extension}" mime_type = "{kind}" compress = 0 }}'
            for extension, kind in TYPES.items()
        )
        return f"""
port={self.port}
bind_address="127.0.0.1"
external_url="{self.base}"
login_url="login.html"
api_prefix="api"
static_files_path="{pages}/"
log_mode="console"
log_level="WARNING"
cookie_domain="127.0.0.1"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="{MODULES}/user"
user_middleware_module_path="{MODULES}/user_middleware"
client_module_path="{MODULES}/client"
user_auth_scheme_module_path="{MODULES}/scheme"
plugin_module_path="{MODULES}/plugin"
hash_algorithm = "SHA512"
database = {{ type = "sqlite3" path = "{database}" }};
static_files_mime_types = (
{types}
)
"""

    def _set_up(self):
        """The administration interface, as its own console uses it."""
        administrator = Visitor()

        def call(path, document):
            answer = administrator.send("POST", f"{self.base}/api{path}", document=document)
            if answer.status != 200:
                raise RuntimeError(f"glewlwyd answers {answer.status} to {path}: {answer.text}")

        call("/auth/", ADMINISTRATOR)
        for scope in ("profile", "email", "offline_access"):
            call("/scope/", {"name": scope, "display_name": scope, "password_required": False})
        call("/mod/plugin/", self._plugin())
        for username, name, email in (
            (self.username, self.name, self.email),
            (self.other, "Bob Example", "bob@example.com"),
        ):
            call(
                "/user/",
                {
                    "username": username,
                    "password": self.password,
                    "name": name,
                    "email": email,
                    "enabled": True,
                    "scope": ["g_profile", "openid", "profile", "email", "offline_access"],
                },
            )
        flows = ["code", "refresh_token", "delete_token"]
        call(
            "/client/",
            {
                "client_id": self.client_id,
                "name": "Portico command line",
                "enabled": True,
                "confidential": False,
                "token_endpoint_auth_method": ["none"],
                "authorization_type": flows,
                "redirect_uri": self.redirect_uris,
                "scope": [],
            },
        )
        if self.confidential_redirect_uris:
            call(
                "/client/",
                {
                    "client_id": self.confidential_id,
                    "name": "A web application",
                    "enabled": True,
                    "confidential": True,
                    "client_secret": self.confidential_secret,
                    "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post"],
                    "authorization_type": flows + ["client_credentials"],
                    "redirect_uri": self.confidential_redirect_uris,
                    "scope": [],
                }
                | ({"backchannel_logout_uri": self.logout_uri} if self.logout_uri else {}),
            )

    def _plugin(self):
        private, public = self._signing_key()
        return {
            "module": "oidc",
            "name": "oidc",
            "display_name": "OpenID Connect",
            "order_rank": 0,
            "parameters": {
                "iss": self.issuer,
                "jwt-type": "ecdsa",
                "jwt-key-size": "256",
                "key": private,
                "cert": public,
                "access-token-duration": self.access_token_seconds,
                "refresh-token-duration": 86400,
                "code-duration": 60,
                "refresh-token-rolling": True,
                "refresh-token-one-use": "always",
                "allow-non-oidc": False,
                "auth-type-code-enabled": True,
                "auth-type-code-revoke-replayed": True,
                "auth-type-token-enabled": False,
                "auth-type-implicit-enabled": False,
                "auth-type-id-token-enabled": False,
                "auth-type-none-enabled": False,
                "auth-type-password-enabled": False,
                "auth-type-client-enabled": True,
                "auth-type-device-enabled": False,
                "auth-type-refresh-enabled": True,
                "subject-type": "public",
                "jwks-show": True,
                "name-claim": "mandatory",
                "email-claim": "mandatory",
                "scope-claim": "no",
                "claims": [],
                "pkce-allowed": True,
                "pkce-method-plain-allowed": False,
                "pkce-required": True,
                "introspection-revocation-allowed": True,
                "introspection-revocation-allow-target-client": True,
                "session-management-allowed": True,
                "session-cookie-name": "GLEWLWYD2_OIDC_SID",
                "session-cookie-expiration": 2419200,
                "front-channel-logout-allowed": True,
                "back-channel-logout-allowed": self.logout_uri is not None,
                "oauth-as-iss-id": True,
                "allowed-scope": ["openid", "profile", "email", "offline_access"],
            },
        }

    def _signing_key(self):
        def openssl(*arguments, given=None):
            return subprocess.run(
                ["openssl", *arguments], input=given, capture_output=True, check=True, timeout=30
            ).stdout

        # glewlwyd publishes a coordinate without its leading zero octets; RFC 7518 §6.2.1.2 wants all
        # 32, and we refuse fewer. One key in 128 has such a coordinate.
        while True:
            private = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
            point = openssl("pkey", "-pubout", "-outform", "DER", given=private)[-64:]
            if point[0] and point[32]:
                return private.decode(), openssl("pkey", "-pubout", given=private).decode()

    def sign_in(self, browser, address, arrived):
        """What a person does in glewlwyd's pages, at that address or where they are: password,
        consent to every scope, continue. Returns as soon as `arrived()` says that the browser went
        where the client waits."""
        if address:
            browser.open(address)
        browser.type("#username", self.username)
        browser.type("#password", self.password)
        browser.click("#loginbut")
        self.consent(browser, arrived)

    def consent(self, browser, arrived):
        """To every scope, and on."""
        browser.wait_for("input[id^=grant-]")
        for box in browser.find("input[id^=grant-]"):
            browser.click_element(box)
        browser.click(".card-body button.btn-primary")
        self.go_on(browser, arrived)

    def go_on(self, browser, arrived):
        """Presses "Continue". The button stays idle until what was granted has been written; once it
        has taken a press, a second one would send the browser away from the answer on its way."""
        end = time.monotonic() + 40
        while not arrived():
            if time.monotonic() > end:
                raise AssertionError(
                    f"glewlwyd's page did not go on: {browser.url}: {browser.text()[:1500]}"
                )
            with contextlib.suppress(RuntimeError, AssertionError):
                if browser.find(".card-footer .btn-success"):
                    browser.click(".card-footer .btn-success")
            taken = time.monotonic() + 5
            while not arrived() and time.monotonic() < taken:
                time.sleep(0.1)

    def sign_out(self, browser, id_token):
        """As the client of that ID Token sends a person here (RP-initiated logout), and they agree."""
        browser.open(with_query(f"{self.issuer}/end_session", id_token_hint=id_token))
        browser.click_text("button", "Logout")
        browser.wait_until(lambda: "Session closed" in browser.text(), "the end of the session")

    def granted(self, visitor, username, client_id, scope, request):
        """The same by the interface that its pages call, without a browser: where the answer leads."""
        signed_in = visitor.send(
            "POST",
            f"{self.base}/api/auth/",
            document={"username": username, "password": self.password},
        )
        if signed_in.status != 200:
            raise AssertionError(f"glewlwyd's sign-in answers {signed_in.status}")
        visitor.send(
            "PUT", f"{self.base}/api/auth/grant/{client_id}/", document={"scope": scope}
        )
        return visitor.get(request + "&g_continue")

    def facts(self):
        return {
            "issuer": self.issuer,
            "client_id": self.client_id,
            "redirect_uris": self.redirect_uris,
            "username": self.username,
            "password": self.password,
            "name": self.name,
            "email": self.email,
            "pid": self.running.pid,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--callback-port",
        type=int,
        action="append",
        required=True,
        help="the loopback port that the client will listen on; may be repeated",
    )
    arguments = parser.parse_args()
    with workspace("glewlwyd") as folder, Glewlwyd(folder, arguments.callback_port) as server:
        hold(server.facts())


if __name__ == "__main__":
    main()

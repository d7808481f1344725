"""Apache with mod_oauth2 (Debian) before an API: it asks our Provider about each access token.

Its virtual host is what `portico client create --for mod_oauth2` prints, as it is; below one of its
addresses stands the line that the printed comment offers, which admits people with one role.
"""

import os
import subprocess

from nginx import Service
from portico import ANN, BOB, REALM, Portico, write_realm
from product import Made
from running import Running, free_port, need, need_file, workspace
from steps import Steps, Stop, expect
from web import Visitor, address, code_verifier, s256, submit_sign_in

MODULES = "/usr/lib/apache2/modules"
PACKAGE = "libapache2-mod-oauth2"
PRINTED = "the virtual host"
APP, STRANGER = "peer-app", "peer-stranger"  # the second one's tokens are not for the API
REDIRECT = "http://127.0.0.1/callback"
REMEMBERS = 5  # seconds that the printed lines let it go on with an answer of ours
# What the module tells the API of the token, by fields with this in front.
PREFIX = "oauth2_claim_"


def version():
    done = subprocess.run(
        [need("dpkg-query", "dpkg"), "-W", "-f", "${Version}", PACKAGE],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    return done.stdout.split("-")[0]


class Apache:
    """A private server before the API, with the printed lines."""

    def __init__(self, folder, api):
        self.folder, self.api = folder, api
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.running = None

    def start(self, printed):
        program = need("apache2", "apache2")
        need_file(f"{MODULES}/mod_oauth2.so", PACKAGE)
        os.makedirs(os.path.join(self.folder, "run"))
        modules = "\n".join(
            f"LoadModule {name}_module {MODULES}/mod_{name}.so"
            for name in ("mpm_event", "authn_core", "authz_core", "authz_user", "proxy")
            + ("proxy_http", "oauth2")
        )
        identity = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
        configuration = os.path.join(self.folder, "apache.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f"""
ServerRoot "{self.folder}"
ServerName 127.0.0.1
DefaultRuntimeDir "{self.folder}/run"
PidFile "{self.folder}/run/apache.pid"
ErrorLog "{self.folder}/error.log"
LogLevel warn oauth2:info
Listen 127.0.0.1:{self.port}
{modules}
{identity}
StartServers 1
ThreadsPerChild 25
<VirtualHost *:{self.port}>
ProxyPass / {self.api}/
{printed}
<Location /staff>
    Require oauth2_claim groups:staff
</Location>
</VirtualHost>
""")
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

    def errors(self, size=1500):
        with open(os.path.join(self.folder, "error.log"), "rb") as file:
            return file.read()[-size:].decode("utf-8", "replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.running:
            self.running.stop()


class App:
    """A person's app: its tokens, by code and PKCE."""

    def __init__(self, provider, client, person):
        self.provider, self.client = provider, client
        visitor, verifier = Visitor(), code_verifier()
        page = visitor.get(
            address(
                f"{provider.endpoint}/auth",
                response_type="code",
                client_id=client,
                redirect_uri=REDIRECT,
                scope="openid profile email groups",
                state="s",
                code_challenge=s256(verifier),
                code_challenge_method="S256",
            )
        )
        answer = visitor.follow(submit_sign_in(visitor, page, *person), until=REDIRECT)
        self.tokens = self.ask(
            "token",
            grant_type="authorization_code",
            code=answer.query()["code"],
            redirect_uri=REDIRECT,
            code_verifier=verifier,
        ).json()

    def ask(self, endpoint, **form):
        form["client_id"] = self.client
        return Visitor().post(f"{self.provider.endpoint}/{endpoint}", form)

    @property
    def token(self):
        return self.tokens["access_token"]


class Walk:
    def __init__(self, steps, provider, apache):
        self.steps, self.provider, self.apache = steps, provider, apache

    def call(self, token=None, path="/", **fields):
        headers = dict(fields)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return Visitor().get(self.apache.base + path, headers=headers)

    def admitted(self, app):
        with self.steps.step("an access token reaches the API, with the person's name"):
            answer = self.call(app.token, OAUTH2_CLAIM_sub="another person")
            expect(answer.status == 200, f"{answer.status}: {self.apache.errors()}")
            told = answer.json()
            for name, value in (
                ("sub", "5f0c1d34-6c1e-4a49-9d0a-2f6a9a1f0a01"),
                ("username", "ann"),
                ("client_id", APP),
                ("iss", self.provider.issuer),
            ):
                expect(told.get(PREFIX + name) == value, f"{name} is {told.get(PREFIX + name)}")

    def refused(self, app, stranger):
        with self.steps.step("no token, a broken one, an ID Token, one for others: 401"):
            for name, token in (
                ("none", None),
                ("broken", app.token[:-8] + "AAAAAAAA"),
                ("ID Token", app.tokens["id_token"]),
                ("another audience", stranger.token),
            ):
                status = self.call(token).status
                expect(status == 401, f"{name}: {status}")

    def roles(self, app, other):
        with self.steps.step("where a role is required, only people who have it come in"):
            expect(self.call(app.token, "/staff").status == 200, self.apache.errors())
            status = self.call(other.token, "/staff").status
            expect(status == 401, f"bob gets {status}")
            expect(self.call(other.token).status == 200, "bob does not come in elsewhere")

    def ended(self, app):
        with self.steps.step("a refreshed token is good, and soon none once it is revoked"):
            fresh = app.ask(
                "token", grant_type="refresh_token", refresh_token=app.tokens["refresh_token"]
            ).json()
            expect(fresh["access_token"] != app.token, "the same token")
            expect(self.call(fresh["access_token"]).status == 200, self.apache.errors())
            app.ask("revoke", token=fresh["refresh_token"])
            self.provider.wait_until(
                lambda: self.call(fresh["access_token"]).status == 401,
                "the module knows that the token is revoked",
                2 * REMEMBERS,
            )


def run(program):
    steps = Steps("mod_oauth2")
    steps.product, steps.version = "mod_oauth2", version()
    steps.seen = "access tokens, roles, revocation"
    service = Service()
    with workspace("mod_oauth2") as folder, Apache(folder, service.base) as apache:
        os.chmod(folder, 0o711)
        realm = os.path.join(folder, "realm.json")
        write_realm(realm)
        provider = Portico(program, folder, realm)
        try:
            with steps.step("the API's client is created, and one for the app, with tokens for the API"):
                provider.set_up()
                made = Made(provider, "mod_oauth2", apache.base)
                for client, more in ((APP, ["--audience", made.client_id]), (STRANGER, [])):
                    provider.administer(
                        *("client", "create", client, "--realm", REALM, "--template", "native"),
                        *("--redirect-uri", REDIRECT, "--optional-scope", "groups", *more),
                    )
                apache.start(made.file(PRINTED))
            with provider:
                walk = Walk(steps, provider, apache)
                app, other = App(provider, APP, ANN), App(provider, APP, BOB)
                walk.admitted(app)
                walk.refused(app, App(provider, STRANGER, ANN))
                walk.roles(app, other)
                walk.ended(app)
        except Stop:
            pass
        finally:
            service.stop()
    return steps

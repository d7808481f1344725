"""Sessions of people who signed in by internet handle, for the backend under load: whose `sid` is opened
and checked as often as anybody's session.

Their host is here: a directory of DIDs, a host and its authorization server, which believe everything.
Only signing in asks them; what is measured asks nobody."""

import base64
import hashlib
import hmac
import html
import http.server
import json
import re
import secrets
import threading
import urllib.parse

from web import Visitor

DOMAIN = "bench.example.net"
DIRECTORY = f"plc.{DOMAIN}"
HOST = f"pds.{DOMAIN}"
ISSUER = f"https://{HOST}"
# More than the server remembers, so that each of these seals is opened anew.
MANY = 20_011


def handle(number):
    return f"person-{number}.{DOMAIN}"


def did(number):
    name = base64.b32encode(hashlib.sha256(str(number).encode()).digest())
    return "did:plc:" + name.decode().lower()[:24]


class Hosts:
    """Everybody's host, on a port of its own, by plain HTTP."""

    def __init__(self, people):
        self.people = people
        self.pushed = {}
        self.codes = {}
        answer = self.answer

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.reply()

            def do_POST(self):
                self.reply()

            def reply(self):
                length = int(self.headers.get("Content-Length") or 0)
                form = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode()))
                status, kind, text = answer(self.headers["Host"], self.path, form)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                self.send_header("DPoP-Nonce", "bench")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def network(self):
        """The file for `portico serve --test-network`."""
        names = [DIRECTORY, HOST] + [handle(number) for number in range(self.people)]
        lines = ["hosts:"] + [f'  {name}: "127.0.0.1:{self.port}"' for name in names]
        lines += ["plain:"] + [f"  - {name}" for name in names]
        return "\n".join(lines) + "\n"

    def answer(self, host, path, form):
        host, path = host.split(":")[0], urllib.parse.unquote(path.split("?")[0])
        numbers = {handle(number): number for number in range(self.people)}
        if path == "/.well-known/atproto-did" and host in numbers:
            return 200, "text/plain", did(numbers[host])
        if path == "/oauth/par":
            name = f"urn:ietf:params:oauth:request_uri:{secrets.token_hex(16)}"
            self.pushed[name] = form
            return self.json({"request_uri": name, "expires_in": 300}, 201)
        if path == "/oauth/token" and form.get("code") in self.codes:
            return self.json(
                {
                    "access_token": secrets.token_hex(32),
                    "refresh_token": secrets.token_hex(32),
                    "token_type": "DPoP",
                    "expires_in": 3600,
                    "scope": "atproto transition:generic",
                    "sub": self.codes.pop(form["code"]),
                }
            )
        if path == "/.well-known/oauth-protected-resource":
            return self.json({"resource": f"https://{host}", "authorization_servers": [ISSUER]})
        if path == "/.well-known/oauth-authorization-server":
            return self.json(self.metadata())
        for name, number in numbers.items():
            if path == f"/{did(number)}":
                return self.json(self.document(name, number))
        return 404, "text/plain", "nobody"

    @staticmethod
    def json(document, status=200):
        return status, "application/json", json.dumps(document)

    @staticmethod
    def document(name, number):
        return {
            "id": did(number),
            "alsoKnownAs": [f"at://{name}"],
            "service": [
                {
                    "id": "#atproto_pds",
                    "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": ISSUER,
                }
            ],
        }

    @staticmethod
    def metadata():
        return {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/oauth/authorize",
            "token_endpoint": f"{ISSUER}/oauth/token",
            "pushed_authorization_request_endpoint": f"{ISSUER}/oauth/par",
            "require_pushed_authorization_requests": True,
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
            "scopes_supported": ["atproto", "transition:generic"],
            "authorization_response_iss_parameter_supported": True,
            "dpop_signing_alg_values_supported": ["ES256"],
            "client_id_metadata_document_supported": True,
        }

    def sign_in(self, base, number):
        """A person signs in at the backend; the value of their `sid`."""
        visitor = Visitor()
        headers = {"X-Forwarded-For": f"10.254.0.{number}", "X-Forwarded-Proto": "http"}
        query = urllib.parse.urlencode({"handle": handle(number)})
        page = visitor.get(f"{base}/login?{query}", headers=headers)
        # A link is only followed to a host once the person has seen which one it is.
        onward = re.search(r'href="(/login\?[^"]*shown=[^"]*)"', page.text)
        if onward is None:
            raise RuntimeError(f"/login answers {page.status}: {page.text[:300]}")
        begun = visitor.get(base + html.unescape(onward[1]), headers=headers)
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(begun.location or "").query))
        if asked.get("request_uri") not in self.pushed:
            raise RuntimeError(f"/login answers {begun.status}: {begun.text[:300]}")
        code = secrets.token_hex(16)
        self.codes[code] = did(number)
        answer = {
            "iss": ISSUER,
            "state": self.pushed[asked["request_uri"]]["state"],
            "code": code,
        }
        query = urllib.parse.urlencode(answer)
        done = visitor.get(f"{base}/oauth/callback?{query}", headers=headers)
        for cookie in visitor.cookies:
            if cookie.name == "sid":
                return cookie.value
        raise RuntimeError(f"signing in ends with {done.status}: {done.text[:300]}")


def again(sid, password):
    """The same content in another seal: its code has another salt. What is encrypted stays."""
    seal, _, version = urllib.parse.unquote(sid).rpartition("~")
    fields = seal.split("*")[:6]
    salt = secrets.token_hex(32)
    key = hashlib.pbkdf2_hmac("sha1", password, salt.encode(), 1, 32)
    code = hmac.new(key, "*".join(fields).encode(), "sha256").digest()
    text = base64.urlsafe_b64encode(code).decode().rstrip("=")
    return "*".join(fields + [salt, text]) + "~" + version


def seals(sids, file):
    """More different seals of these sessions than are remembered.

    - file: The server's passwords; the last line's seals.
    """
    with open(file, encoding="utf-8") as lines:
        password = lines.read().splitlines()[-1].split(" ", 1)[1].encode()
    return [again(sids[number % len(sids)], password) for number in range(MANY)]

"""An unmodified nginx (Debian) that asks a backend about each request, as docs/nginx.md says.

A private server: its own configuration, process id and logs in a temporary folder. What it runs is the
file of the document, with its words filled in. Behind it stands a service that tells what reached it.
"""

import http.server
import json
import os
import re
import subprocess
import threading

from running import Running, free_port, need

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Service:
    """A team's own service: answers with the fields that reached it."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                fields = {}
                for name, value in self.headers.items():
                    fields.setdefault(name.lower(), []).append(value)
                body = json.dumps({name: ", ".join(all) for name, all in fields.items()}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class ScriptedBackend:
    """Answers `/v1/auth/session` as the backend does, and keeps what it was asked. A browser's account
    has no address; an app's has."""

    def __init__(self, cookie_name):
        self.says = {
            "Cookie": {"X-Portico-User": "u-1", "X-Portico-Session": "s-1"},
            "Authorization": {
                "X-Portico-User": "u-1",
                "X-Portico-Session": "s-2",
                "X-Portico-Email": "ann@example.com",
                "X-Portico-Email-Verified": "false",
                "X-Portico-App": "notes",
            },
        }
        self.cookie = (cookie_name, "C1")
        self.token = "S1"
        self.seal = "Fe26.2*1*ab_-*c*d*e~2"
        self.asked = []
        self.status = None
        backend = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path != "/v1/auth/session":
                    return self.page()
                backend.asked.append((self.path, self.headers.items()))
                brought = (self.headers["Authorization"], self.headers["Cookie"])
                live = brought in (
                    (f"Bearer {backend.token}", None),
                    (f"Bearer {backend.seal}", None),
                    (None, "=".join(backend.cookie)),
                    (None, f"sid={backend.seal}"),
                    (None, f"{'='.join(backend.cookie)}; sid={backend.seal}"),
                )
                status = backend.status or (200 if live else 401)
                body = json.dumps({"authenticated": status == 200}).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                if status == 200:
                    proof = "Authorization" if brought[0] else "Cookie"
                    for name, value in backend.says[proof].items():
                        self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def page(self):
                body = json.dumps({"backend": self.path, **dict(self.headers.items())}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def document():
    with open(os.path.join(ROOT, "docs", "nginx.md"), encoding="utf-8") as file:
        return file.read()


def documented(values, port, plain_port):
    """The file of docs/nginx.md, filled in, on ports of this machine's loopback."""
    blocks = re.findall(r"```nginx\n(.*?)```", document(), re.DOTALL)
    if len(blocks) != 1:
        raise RuntimeError("docs/nginx.md has not one block for nginx")
    text = blocks[0]
    for word, value in values.items():
        if not re.search(rf"\b{word}\b", text):
            raise RuntimeError(f"docs/nginx.md has no {word}")
        text = re.sub(rf"\b{word}\b", value, text)
    for listen, here in (("listen 80;", plain_port), ("listen 443 ssl;", port)):
        if listen not in text:
            raise RuntimeError(f"docs/nginx.md has no {listen}")
        text = text.replace(listen, listen.replace(listen.split()[1].rstrip(";"), f"127.0.0.1:{here}"))
    return text


class Nginx:
    """With a certificate that it signs itself."""

    host = "app.example.com"

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.plain_port = free_port()
        # Its own name, at which nobody can look it up.
        self.authority = f"{self.host}:{self.port}"
        self.origin = f"https://{self.authority}"
        self.running = None

    def _certificate(self):
        paths = [os.path.join(self.folder, name) for name in ("certificate.pem", "key.pem")]
        command = [need("openssl", "openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt"]
        command += ["ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", f"/CN={self.host}"]
        command += ["-out", paths[0], "-keyout", paths[1]]
        made = subprocess.run(command, capture_output=True, text=True, timeout=30)
        if made.returncode != 0:
            raise RuntimeError(f"openssl: {made.stderr}")
        return paths

    def start(self, backend, service):
        program = os.environ.get("PORTICO_NGINX") or need("nginx", "nginx")
        configuration = os.path.join(self.folder, "nginx.conf")
        temporary = "\n".join(
            f"    {kind}_temp_path {self.folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;" if os.geteuid() == 0 else ""
        certificate, key = self._certificate()
        values = {
            "HOST": self.host,
            "CERTIFICATE": certificate,
            "PRIVATE_KEY": key,
            "BACKEND": backend,
            "SERVICE": service,
        }
        text = documented(values, self.port, self.plain_port)
        # A private server: where it keeps what is its own.
        text = text.replace("http {", f"http {{\n    access_log off;\n{temporary}", 1)
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(
                f"daemon off;\n{user}\npid {self.folder}/nginx.pid;\n"
                f"error_log {self.folder}/error.log;\n{text}"
            )
        command = [program, "-p", self.folder, "-c", configuration, "-e", "error.log"]
        check = subprocess.run([*command, "-t"], capture_output=True, text=True, timeout=30)
        if check.returncode != 0:
            raise RuntimeError(f"nginx -t: {check.stdout}{check.stderr}")
        self.running = Running(command, os.path.join(self.folder, "nginx.out"))
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

"""An unmodified nginx (Debian) that asks a backend about each request, as docs/nginx.md says.

A private server: its own configuration, process id and logs in a temporary folder. What it runs is the
block of the document, with the four addresses filled in. Behind it stands a service that tells what
reached it.
"""

import http.server
import json
import os
import re
import subprocess
import threading
import urllib.parse

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
        self.asked = []
        self.status = None
        backend = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                backend.asked.append((self.path, self.headers.items()))
                brought = (self.headers["Authorization"], self.headers["Cookie"])
                live = brought in (
                    (f"Bearer {backend.token}", None),
                    (None, "=".join(backend.cookie)),
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

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def documented(backend, service, port, cookie_name):
    """The block of docs/nginx.md, filled in. `backend` is the base address of a BFF."""
    with open(os.path.join(ROOT, "docs", "nginx.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```nginx\n(.*?)```", file.read(), re.DOTALL)
    if len(blocks) != 1:
        raise RuntimeError("docs/nginx.md has not one block for nginx")
    text = blocks[0]
    for word, value in (
        ("BACKEND_HOST", urllib.parse.urlsplit(backend).netloc),
        ("BACKEND", backend),
        ("SERVICE", service),
        ("LISTEN", str(port)),
    ):
        if not re.search(rf"\b{word}\b", text):
            raise RuntimeError(f"docs/nginx.md has no {word}")
        text = re.sub(rf"\b{word}\b", value, text)
    # As the document says of a loopback literal without https.
    return text.replace("__Host-session", cookie_name)


class Nginx:
    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.running = None

    def start(self, backend, service, cookie_name):
        program = os.environ.get("PORTICO_NGINX") or need("nginx", "nginx")
        configuration = os.path.join(self.folder, "nginx.conf")
        temporary = "\n".join(
            f"    {kind}_temp_path {self.folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;" if os.geteuid() == 0 else ""
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(
                f"daemon off;\n{user}\nworker_processes 1;\npid {self.folder}/nginx.pid;\n"
                f"error_log {self.folder}/error.log;\n"
                "events { worker_connections 64; }\n"
                f"http {{\n    access_log off;\n{temporary}\n"
                f"{documented(backend, service, self.port, cookie_name)}}}\n"
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

"""The backend-for-frontend under load: session checks, and whole sign-ins with a provider beside it.

The provider is the server of the other figures, a process of its own, so that its CPU time is not
counted here."""

import os
import subprocess

import handle_load
from running import Running, free_port
from web import Visitor

PROVIDER = "bench"


class Backend:
    """`portico serve` as a backend, on a scratch data folder, with one identity provider."""

    def __init__(self, binary, folder, provider_port, realm, hosts):
        self.binary, self.folder = binary, folder
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.provider_port, self.issuer = provider_port, f"http://127.0.0.1:{provider_port}{realm}"
        self.hosts, self.data = hosts, os.path.join(folder, "backend")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PORTICO_")}
        self.running = None

    def start(self):
        places = ["--data-directory", self.data, "--public-url", self.base]
        added = ["oidc", "--name", PROVIDER, "--issuer", self.issuer]
        added += ["--client-id", "bff", "--without-secret", "--allow-insecure-loopback"]
        self.add(added + places)
        self.add(["atproto", "--directory", f"https://{handle_load.DIRECTORY}"] + places)
        network = os.path.join(self.folder, "network.yaml")
        with open(network, "w", encoding="utf-8") as file:
            file.write(self.hosts.network())
        command = [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}"]
        command += ["--test-network", network]
        # Every person comes from an address of their own, as behind a proxy.
        command += ["--trusted-proxy", "127.0.0.1"] + places
        log = os.path.join(self.folder, "backend.log")
        self.running = Running(command, log, self.environment, self.folder)
        self.running.wait_for_port(self.port)

    def add(self, provider):
        done = subprocess.run(
            [self.binary, "provider", "add"] + provider,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode != 0:
            raise RuntimeError(f"provider add: {done.stderr}")

    def sign_in(self, cookie, number):
        """A person of the provider's registers here; the `Cookie` header of their session."""
        own, there = Visitor(), Visitor()
        headers = {"X-Forwarded-For": f"10.255.0.{number}", "X-Forwarded-Proto": "http"}
        started = own.get(f"{self.base}/v1/auth/{PROVIDER}", headers=headers)
        answered = there.get(started.location, headers={"Cookie": cookie})
        done = own.get(answered.location, headers=headers)
        if done.status != 303 or "error=" in done.location:
            raise RuntimeError(f"signing in ends with {done.status}: {done.text[:300]}")
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in own.cookies)

    def stop(self):
        if self.running:
            self.running.stop()


def client():
    """How the provider knows us."""
    return {
        "clientId": "bff",
        "enabled": True,
        "protocol": "openid-connect",
        "publicClient": True,
        "standardFlowEnabled": True,
        "consentRequired": False,
        "fullScopeAllowed": True,
        "redirectUris": [f"http://127.0.0.1/v1/auth/{PROVIDER}/callback"],
        "attributes": {"pkce.code.challenge.method": "S256"},
    }

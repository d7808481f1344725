"""Finds the most expensive anonymous request: every shape at every address, then the worst together.

What counts is the CPU time of the server's process, all threads, from before the request to after its
answer; of the dearest, the median of several tries."""

import dataclasses
import os
import statistics
import subprocess
import time

from addresses import addresses
from draft import Wire
from measuring import cpu
from running import Running, free_port
from shapes import TEXTS, places
from web import Visitor, address, code_verifier, s256

REALM = "/realms/demo"
# A response that takes longer counts with its cost so far.
PATIENCE = 60


class Server:
    """`portico serve --demo`: a realm, an app, three providers. It believes `X-Forwarded-For`, so that
    every request may come from an address of its own and limits turn none away before it is read."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.data = os.path.join(folder, "data")
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PORTICO_")}
        self.running = None
        self.cookie_names = set()

    def __enter__(self):
        command = [self.binary, "serve", "--demo", "--listen", f"127.0.0.1:{self.port}"]
        command += ["--trusted-proxy", "127.0.0.1", "--data-directory", self.data]
        # Strangers are not signed in, so they do not get this far.
        command += ["--bff-api", "orders=http://127.0.0.1:9,google"]
        log = os.path.join(self.folder, "portico.log")
        self.running = Running(command, log, self.environment, self.folder)
        try:
            self.running.wait_for_port(self.port, 60)
            self.administer(
                "client", "create", "confidential", "--realm", "demo", "--template", "web",
                "--redirect-uri", "https://a.example/cb",
            )  # fmt: skip
            self.administer(
                "client", "create", "keyed", "--realm", "demo", "--template", "service",
                "--authentication", "private_key_jwt", "--jwks-file", "-",
                given=KEYS,
            )  # fmt: skip
            # Native tokens are looked at only for an app that takes any.
            audiences = [f"--native-audience={name}=example" for name in ("google", "facebook")]
            self.administer("client", "update", "notes", "--realm", "demo", *audiences)
            # The server looks once a second for what the command line wrote.
            self.wait_for_client("keyed")
            self.cookie_names = self.cookies()
        except BaseException:
            self.running.stop()
            raise
        return self

    def __exit__(self, *_):
        self.running.stop()

    def administer(self, *command, given=""):
        done = subprocess.run(
            [self.binary, *command, "--data-directory", self.data, "--no-input"],
            input=given, capture_output=True, text=True, timeout=60, env=self.environment,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command[:3])}: {done.stderr.strip()}")

    def wait_for_client(self, client):
        end = time.monotonic() + 20
        form = {"grant_type": "client_credentials", "client_id": client, "client_assertion": "a",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}  # fmt: skip
        while time.monotonic() < end:
            answer = Visitor().post(f"{self.base}{REALM}/protocol/openid-connect/token", form)
            if "unknown" not in answer.text.lower():
                return
            time.sleep(0.1)
        raise RuntimeError(f"{client} is not known: {answer.text}")

    def page(self, name):
        if name != "sign-in":
            return self.base + name
        return address(
            f"{self.base}{REALM}/protocol/openid-connect/auth",
            client_id="portico-cli",
            response_type="code",
            redirect_uri="http://127.0.0.1/callback",
            scope="openid",
            code_challenge=s256(code_verifier()),
            code_challenge_method="S256",
        )

    def cookies(self):
        """The names of what it sets for a stranger, and of its sessions."""
        visitor = Visitor()
        for place in ("sign-in", f"{REALM}/account/apps", "/login", "/logout", "/v1/auth/google"):
            visitor.get(self.page(place))
        return {cookie.name for cookie in visitor.cookies} | {"portico-dev-session"}


# One key of a client: the example of RFC 7517 §A.1, public.
KEYS = """{"keys": [{"kty": "EC", "crv": "P-256", "kid": "1", "use": "sig",
"x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
"y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}"""


@dataclasses.dataclass
class Finding:
    """`seconds`: of CPU."""

    address: object
    shape: str
    draft: object
    changes: tuple
    seconds: float
    status: int | None


class Search:
    def __init__(self, server, limit, tries):
        """`limit`, in seconds: an address that was over it twice is not asked any further. `tries`: how
        often what was dearest is asked again."""
        self.server, self.limit, self.tries = server, limit, tries
        self.wire = Wire(server.port, PATIENCE)
        self.count, self.turned_away = 0, 0
        self.own = {}  # the address's name -> what a request that works costs
        self.all = self.addresses = addresses(server)

    def send(self, draft):
        """The answer's status and the CPU time."""
        self.count += 1
        before = cpu(self.server.running)
        answer = self.wire.send(draft)
        used = cpu(self.server.running) - before
        status = answer.status if answer else None
        if status in (400, 413, 414, 431) and not answer.body:
            self.turned_away += 1
        if answer is None and self.server.running.process.poll() is not None:
            raise RuntimeError(f"the server has ended:\n{self.server.running.tail()}")
        return status, used

    def working(self):
        """What does not answer as addresses.json says: a request that fails early finds nothing."""
        for one in self.addresses:
            one.prepare()
            status, _ = self.send(one.draft())
            if status != one.status:
                yield f"{one.name} answers {status}, not {one.status}"
            tries = [self.send(one.draft())[1] for _ in range(self.tries)]
            self.own[one.name] = statistics.median(tries)

    def sweep(self, texts):
        """The dearest of each address. `texts(number, place)`: which to try at that place."""
        dearest = []
        for number, one in enumerate(self.addresses):
            one.prepare()
            found = self.try_all(one, number, texts)
            if found:
                dearest.append(self.together(one, found))
        return sorted(dearest, key=lambda finding: -finding.seconds)

    def try_all(self, one, number, texts):
        """One address: its findings, dearest first."""
        found, over = [], 0
        for order, place in enumerate(places(one)):
            for text in texts(number + order, place):
                draft = one.draft()
                if not place.put(draft, one, text):
                    continue
                status, used = self.send(draft)
                shape = place.name if place.has_own_text else f"{text.name} as {place.name}"
                found.append(Finding(one, shape, draft, ((place, text),), used, status))
                over += used > self.limit
                if over >= 2:
                    break
            if over >= 2:
                break
        return sorted(found, key=lambda finding: -finding.seconds)

    def together(self, one, found):
        """The dearest of each part of the request, alone and in one request; each tried again."""
        best = {}
        for finding in found:
            best.setdefault(finding.changes[0][0].part, finding)
        alone = [self.again(finding) for finding in best.values()]
        draft, changes, names = one.draft(), (), []
        for finding in sorted(alone, key=lambda finding: -finding.seconds):
            (place, text), = finding.changes
            if place.put(draft, one, text):
                changes += finding.changes
                names.append(finding.shape)
        if len(names) > 1:
            combined = Finding(one, "; ".join(names), draft, changes, 0, None)
            alone.append(self.again(combined))
        return max(alone, key=lambda finding: finding.seconds)

    def again(self, finding):
        """The median of more tries: what else the machine did in between does not count."""
        if finding.seconds > self.limit:
            return finding
        tries = []
        for _ in range(self.tries):
            draft = finding.address.draft()
            for place, text in finding.changes:
                place.put(draft, finding.address, text)
            status, used = self.send(draft)
            tries.append(used)
        return dataclasses.replace(finding, seconds=statistics.median(tries), status=status)


def every_text(_, place):
    return TEXTS[:1] if place.has_own_text else TEXTS


def some_texts(seed):
    """What an address reads by itself gets the strong text and one more, in turn; everything else is
    tried at every fourth address, with one of all texts."""
    strong = [text for text in TEXTS if text.is_strong]
    others = [text for text in TEXTS if text not in strong[:1]]

    def texts(number, place):
        if not place.is_strong and number % 4:
            return []
        if place.has_own_text:
            return TEXTS[:1]
        # Seven has no factor in common with four.
        one = others[(number * 7 + seed) % len(others)]
        return [strong[0], one] if place.is_strong or number % 8 else [one]

    return texts

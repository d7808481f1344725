"""HTTP like a browser without scripts: cookies, forms, redirects one at a time."""

import base64
import hashlib
import html.parser
import http.cookiejar
import json
import secrets
import urllib.error
import urllib.parse
import urllib.request


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Answer:
    def __init__(self, url, status, headers, body):
        self.url, self.status, self.headers, self.body = url, status, headers, body

    @property
    def text(self):
        return self.body.decode("utf-8")

    def json(self):
        return json.loads(self.body)

    @property
    def location(self):
        return urllib.parse.urljoin(self.url, self.headers["Location"])

    def query(self):
        """The parameters of the redirect."""
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.location).query))


class Visitor:
    """A person's browser: one cookie jar, no redirect followed unasked, answers bounded."""

    def __init__(self, timeout=20):
        self.cookies = http.cookiejar.CookieJar()
        self.timeout = timeout
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPCookieProcessor(self.cookies),
            _NoRedirects(),
        )

    def send(self, method, url, form=None, document=None, headers=None):
        data = None
        headers = {"Accept": "text/html,application/json;q=0.9,*/*;q=0.8"} | dict(headers or {})
        if form is not None:
            data = urllib.parse.urlencode(form).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        if document is not None:
            data = json.dumps(document).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with self.opener.open(request, timeout=self.timeout) as response:
                return Answer(url, response.status, response.headers, response.read(4 << 20))
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Answer(url, refusal.code, refusal.headers, refusal.read(4 << 20))

    def get(self, url, **more):
        return self.send("GET", url, **more)

    def post(self, url, form, **more):
        return self.send("POST", url, form=form, **more)

    def follow(self, answer, until, limit=10):
        """Follows redirects by GET until one points at an address that starts with `until`."""
        for _ in range(limit):
            if answer.status not in (301, 302, 303, 307, 308):
                return answer
            if answer.location.startswith(until):
                return answer
            answer = self.get(answer.location)
        raise AssertionError("too many redirects")


class _Forms(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.forms = []

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag == "form":
            self.forms.append({"action": named.get("action", ""), "fields": {}, "buttons": []})
        elif tag == "input" and self.forms and named.get("name"):
            kind = named.get("type", "text")
            if kind == "submit":
                self.forms[-1]["buttons"].append((named["name"], named.get("value", "")))
            elif kind not in ("checkbox", "radio") or "checked" in named:
                self.forms[-1]["fields"][named["name"]] = named.get("value", "")
        elif tag == "button" and self.forms and named.get("name"):
            self.forms[-1]["buttons"].append((named["name"], named.get("value", "")))


def forms(answer):
    """The forms of a page: action as written, prefilled fields, buttons."""
    parser = _Forms()
    parser.feed(answer.text)
    return parser.forms


def form_with(answer, field):
    """The first form of a page that has the field: its absolute action and its prefilled fields."""
    for form in forms(answer):
        if field in form["fields"]:
            action = urllib.parse.urljoin(answer.url, form["action"])
            return action, dict(form["fields"]), form["buttons"]
    raise AssertionError(f"no form with a field {field!r} ({answer.status} at {answer.url})")


def submit_sign_in(visitor, page, username, password):
    """Fills in our sign-in form and sends it; hidden fields travel as the page gave them."""
    action, fields, buttons = form_with(page, "username")
    fields.update(username=username, password=password)
    fields.update(buttons[:1])  # what the Enter key presses
    return visitor.post(action, fields)


def code_verifier():
    return secrets.token_urlsafe(32)


def s256(verifier):
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def address(endpoint, **parameters):
    return endpoint + ("&" if "?" in endpoint else "?") + urllib.parse.urlencode(parameters)


def basic(client_id, secret):
    """The header of client_secret_basic (RFC 6749 §2.3.1: both parts form-encoded)."""
    quoted = f"{urllib.parse.quote_plus(client_id)}:{urllib.parse.quote_plus(secret)}"
    return {"Authorization": "Basic " + base64.b64encode(quoted.encode()).decode()}


def unverified_claims(token):
    """The payload of a JWS, looked at and not trusted."""
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))

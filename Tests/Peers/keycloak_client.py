#!/usr/bin/env python3
"""python-keycloak (PyPI, unmodified) as our Provider's client, by the module that `--for` prints.

Run by check_python_keycloak.py with the Python that has it. Reads a JSON file: the folder of the
printed module, base and issuer of the Provider, people and their subjects.
"""

import json
import sys

from jwcrypto.common import JWException
from keycloak.exceptions import KeycloakPostError

from steps import Steps, Stop, closing_line, expect
from web import Visitor, submit_sign_in

LANDED = "http://127.0.0.1:"


class Walk:
    def __init__(self, facts, module, steps):
        self.facts, self.module, self.steps = facts, module, steps
        self.client = module.keycloak

    def sign_in(self, name):
        """Its address in a browser, which sends a space as %20; then what it makes of the code."""
        session, visitor = {}, Visitor()
        page = visitor.get(self.module.address(session).replace(" ", "%20"))
        answer = submit_sign_in(visitor, page, *self.facts["people"][name])
        answer = visitor.follow(answer, until=LANDED + self.facts["port"])
        came = answer.query()
        return self.module.signed_in(session, came["state"], came["code"])

    def known(self, name, email):
        with self.steps.step(f"{name} signs in; the ID Token is checked with our keys"):
            tokens, claims = self.sign_in(name)
            expect(claims["sub"] == self.facts["subjects"][name], f"sub is {claims['sub']}")
            expect(claims["email"] == email, f"email is {claims['email']}")
            expect(claims["iss"] == self.facts["issuer"], f"iss is {claims['iss']}")
        return tokens

    def asks(self, tokens):
        with self.steps.step("UserInfo, and the access token checked with our keys, by roles"):
            person = self.client.userinfo(tokens["access_token"])
            expect(person["name"] == "Ann Example", f"UserInfo says {person}")
            claims = self.client.decode_token(tokens["access_token"])
            expect("staff" in claims["realm_access"]["roles"], f"the token says {claims}")
        with self.steps.step("a token that was changed is no good"):
            head, body, end = tokens["access_token"].split(".")
            try:
                self.client.decode_token(f"{head}.{body}.{'A' * len(end)}")
            except JWException:
                return
            raise AssertionError("it was taken")

    def introspected(self, tokens):
        with self.steps.step("introspection of both tokens"):
            for kind in ("access_token", "refresh_token"):
                told = self.client.introspect(tokens[kind])
                expect(told["active"], f"{kind}: {told}")
                expect(told["sub"] == self.facts["subjects"]["ann"], f"{kind}: {told}")

    def refreshed(self, tokens):
        with self.steps.step("refresh: other tokens, the same person"):
            after = self.client.refresh_token(tokens["refresh_token"])
            for kind in ("access_token", "refresh_token"):
                expect(after[kind] != tokens[kind], f"the same {kind}")
            person = self.client.userinfo(after["access_token"])
            expect(person["sub"] == self.facts["subjects"]["ann"], f"UserInfo says {person}")
        return after

    def published(self):
        with self.steps.step("well_known() and certs() find what they look for"):
            # Not public_key(): it reads JSON from the realm's own address, which is a page here.
            expect(self.client.well_known()["issuer"] == self.facts["issuer"], "another issuer")
            algorithms = {key["alg"] for key in self.client.certs()["keys"]}
            expect({"ES256", "RS256"} <= algorithms, f"the keys are for {algorithms}")

    def signed_out(self, tokens, other):
        with self.steps.step("logout(refresh_token) ends the session, and no one else's"):
            self.client.logout(tokens["refresh_token"])
            told = self.client.introspect(tokens["access_token"])
            expect(told == {"active": False}, f"it is {told}")
            expect(self.client.introspect(other["access_token"])["active"], "bob's has ended too")
        with self.steps.step("the refresh token of that session is refused"):
            self.refused(lambda: self.client.refresh_token(tokens["refresh_token"]))

    def refused(self, act):
        try:
            act()
        except KeycloakPostError as problem:
            said = json.loads(problem.response_body)
            expect(said["error"] == "invalid_grant", f"it is {said}")
            return
        raise AssertionError("it was not refused")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        facts = json.load(file)
    sys.path.insert(0, facts["folder"])
    steps = Steps("python-keycloak")
    try:
        with steps.step("the printed module is one"):
            import sign_in
        walk = Walk(facts, sign_in, steps)
        ann = walk.known("ann", "ann@example.com")
        bob = walk.known("bob", "bob@example.com")
        walk.asks(ann)
        walk.introspected(ann)
        ann = walk.refreshed(ann)
        walk.published()
        walk.signed_out(ann, bob)
        with steps.step("tokens of its own, with the scope openid that it always sends"):
            own = walk.client.token(grant_type="client_credentials")
            claims = walk.client.decode_token(own["access_token"])
            expect(claims["client_id"] == walk.client.client_id, f"it is {claims}")
    except Stop:
        pass
    return closing_line(steps)


if __name__ == "__main__":
    sys.exit(main())

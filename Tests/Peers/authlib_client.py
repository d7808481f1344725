#!/usr/bin/env python3
"""Authlib (PyPI, unmodified) as a client of our Provider, with each client authentication method.

Run by check_authlib.py with the Python of a virtual environment that has requirements.txt. Reads
a JSON file: issuer, clients (id, method, secret or private key, algorithm), people.
"""

import json
import os
import sys
import time

# The issuer is a loopback literal over http; everything else is as strict as Authlib's default.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests  # noqa: E402
from authlib.common.security import generate_token  # noqa: E402
from authlib.integrations.base_client.errors import OAuthError  # noqa: E402
from authlib.integrations.requests_client import OAuth2Session  # noqa: E402
from authlib.oauth2 import rfc8414, rfc9207  # noqa: E402
from authlib.oauth2.rfc7523 import PrivateKeyJWT  # noqa: E402
from authlib.oidc.core import CodeIDToken  # noqa: E402
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url  # noqa: E402
from joserfc import jwt  # noqa: E402
from joserfc.jwk import ECKey, KeySet  # noqa: E402

from steps import Steps, Stop, closing_line, expect  # noqa: E402
from web import Visitor, submit_sign_in  # noqa: E402

REDIRECT = "http://127.0.0.1:49152/callback"
SCOPE = "openid profile email"


class Client:
    """One registered client, from discovery to revocation."""

    def __init__(self, facts, client):
        self.facts = facts
        self.client = client
        self.steps = Steps(f"Authlib, {client['method']}")

    def session(self, **more):
        secret = self.client.get("secret")
        if self.client["method"] == "private_key_jwt":
            secret = ECKey.import_key(self.client["private_key"])
        session = OAuth2Session(
            self.client["id"],
            secret,
            scope=SCOPE,
            redirect_uri=REDIRECT,
            token_endpoint_auth_method=self.client["method"],
            revocation_endpoint_auth_method=self.client["method"],
            code_challenge_method="S256",
            **more,
        )
        session.trust_env = False
        if self.client["method"] == "private_key_jwt":
            # The parameter becomes `aud`: the issuer, for servers that follow the update of
            # RFC 7523 take no address of an endpoint.
            session.register_client_auth_method(PrivateKeyJWT(self.metadata["issuer"], alg="ES256"))
        return session

    def run(self):
        try:
            self.discover()
            self.sign_in()
            self.tokens()
            self.refuse_second_use()
            self.userinfo()
            if self.client.get("service"):
                self.client_credentials()
            self.refresh()
            self.introspect()
            self.revoke()
        except Stop:
            pass
        return self.steps

    def discover(self):
        with self.steps.step("discovery, as OpenID Connect Discovery and RFC 8414 want it"):
            issuer = self.facts["issuer"]
            document = requests.get(get_well_known_url(issuer, external=True), timeout=20).json()
            expect(document["issuer"] == issuer, "the issuer is another one")
            metadata = OpenIDProviderMetadata(document)
            metadata.validate()
            as_server = rfc8414.AuthorizationServerMetadata(document)
            as_server.validate(metadata_classes=[rfc9207.AuthorizationServerMetadata])
            methods = document["token_endpoint_auth_methods_supported"]
            expect(self.client["method"] in methods + ["none"], f"not announced: {methods}")
            expect("S256" in document["code_challenge_methods_supported"], "no S256")
            self.metadata = document
        with self.steps.step("the key set holds public keys only"):
            document = requests.get(self.metadata["jwks_uri"], timeout=20).json()
            secret = {"d", "p", "q", "dp", "dq", "qi", "k"}
            expect(document["keys"], "no keys")
            expect(not any(secret & set(key) for key in document["keys"]), "a private key shows")
            self.keys = KeySet.import_key_set(document)

    def sign_in(self):
        self.verifier = generate_token(48)
        self.nonce = generate_token(24)
        with self.steps.step("sign-in by our form gives a code, with state and iss"):
            session = self.session()
            address, self.state = session.create_authorization_url(
                self.metadata["authorization_endpoint"],
                nonce=self.nonce,
                code_verifier=self.verifier,
            )
            browser = Visitor()
            username, password = self.facts["person"]
            page = browser.get(address)
            expect(page.status == 200, f"the sign-in page answers {page.status}")
            answer = browser.follow(submit_sign_in(browser, page, username, password), REDIRECT)
            expect(
                answer.status in (302, 303), f"{answer.status} after the form: {answer.text[:500]}"
            )
            query = answer.query()
            expect(query.get("state") == self.state, "another state")
            expect(query.get("iss") == self.facts["issuer"], f"iss is {query.get('iss')}")
            self.response = answer.location

    def tokens(self):
        with self.steps.step("the code becomes tokens"):
            self.oauth = self.session()
            self.token = self.oauth.fetch_token(
                self.metadata["token_endpoint"],
                authorization_response=self.response,
                state=self.state,
                code_verifier=self.verifier,
            )
            expect(self.token["token_type"].lower() == "bearer", "not a bearer token")
            expect(self.token.get("refresh_token"), "no refresh token")
            expect(0 < self.token["expires_in"] <= 3600, "expires_in is odd")
        with self.steps.step(f"the ID Token verifies ({self.client['algorithm']})"):
            self.claims = self.verify_id_token(self.token, self.nonce)
            expect(self.claims["email"] == self.facts["email"], "another email")
        with self.steps.step("the access token verifies as a JWT for the same person"):
            decoded = jwt.decode(
                self.token["access_token"], self.keys, algorithms=["ES256", "RS256"]
            )
            expect(decoded.claims["iss"] == self.facts["issuer"], "another issuer")
            expect(decoded.claims["sub"] == self.claims["sub"], "another person")
            expect(decoded.claims["exp"] > time.time(), "expired")
            roles = decoded.claims.get("realm_access", {}).get("roles", [])
            expect("staff" in roles, f"realm roles are {roles}")

    def verify_id_token(self, token, nonce):
        decoded = jwt.decode(token["id_token"], self.keys, algorithms=[self.client["algorithm"]])
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            options={
                "iss": {"essential": True, "values": [self.facts["issuer"]]},
                "aud": {"essential": True, "value": self.client["id"]},
            },
            params={
                "nonce": nonce,
                "client_id": self.client["id"],
                "access_token": token["access_token"],
            },
        )
        claims.validate(leeway=5)
        return claims

    def refuse_second_use(self):
        with self.steps.step("the code is refused the second time, with another verifier"):
            try:
                self.session().fetch_token(
                    self.metadata["token_endpoint"],
                    authorization_response=self.response,
                    state=self.state,
                    code_verifier=generate_token(48),
                )
            except OAuthError as refusal:
                expect(refusal.error == "invalid_grant", f"the error is {refusal.error}")
            else:
                raise AssertionError("the code was good twice")

    def userinfo(self):
        with self.steps.step("UserInfo by GET and by POST names the same person"):
            endpoint = self.metadata["userinfo_endpoint"]
            for answer in (
                self.oauth.get(endpoint, timeout=20),
                self.oauth.post(endpoint, timeout=20),
            ):
                expect(answer.status_code == 200, f"UserInfo answers {answer.status_code}")
                expect(answer.json()["sub"] == self.claims["sub"], "another person")
                expect(answer.json()["email"] == self.facts["email"], "another email")

    def client_credentials(self):
        with self.steps.step("client credentials give an access token without a person"):
            session = self.session()
            session.scope = None
            token = session.fetch_token(
                self.metadata["token_endpoint"], grant_type="client_credentials"
            )
            expect(token["access_token"], "no access token")
            expect("refresh_token" not in token, "a refresh token without a person")

    def refresh(self):
        with self.steps.step("refresh gives new tokens that verify"):
            old = self.token["refresh_token"]
            fresh = self.oauth.refresh_token(self.metadata["token_endpoint"], refresh_token=old)
            expect(fresh["access_token"] != self.token["access_token"], "the same access token")
            expect(fresh["refresh_token"] != old, "the refresh token did not rotate")
            claims = self.verify_id_token(fresh, None)
            expect(claims["sub"] == self.claims["sub"], "another person")
            self.token = fresh

    def introspect(self):
        if self.client["method"] == "none":
            with self.steps.step("introspection refuses a client that cannot prove itself"):
                answer = self.session().introspect_token(
                    self.metadata["introspection_endpoint"], token=self.token["access_token"]
                )
                expect(answer.status_code == 401, f"introspection answers {answer.status_code}")
                expect(answer.json()["error"] == "invalid_client", answer.text)
            return
        with self.steps.step("introspection: active, and inactive for a broken token"):
            endpoint = self.metadata["introspection_endpoint"]
            good = self.session().introspect_token(
                endpoint, token=self.token["access_token"], token_type_hint="access_token"
            )
            expect(good.status_code == 200 and good.json()["active"] is True, good.text)
            expect(good.json()["sub"] == self.claims["sub"], "another person")
            broken = self.token["access_token"][:-8] + "AAAAAAAA"
            bad = self.session().introspect_token(endpoint, token=broken)
            expect(bad.status_code == 200 and bad.json() == {"active": False}, bad.text)

    def revoke(self):
        with self.steps.step(
            "revocation ends the grant: refresh, UserInfo and introspection say so"
        ):
            token = self.token["refresh_token"]
            answer = self.session().revoke_token(
                self.metadata["revocation_endpoint"], token=token, token_type_hint="refresh_token"
            )
            expect(answer.status_code == 200, f"revocation answers {answer.status_code}")
            try:
                self.session().refresh_token(self.metadata["token_endpoint"], refresh_token=token)
            except OAuthError as refusal:
                expect(refusal.error == "invalid_grant", f"the error is {refusal.error}")
            else:
                raise AssertionError("the revoked token was good")
            late = self.oauth.get(self.metadata["userinfo_endpoint"], timeout=20)
            expect(late.status_code == 401, f"UserInfo answers {late.status_code}")
            if self.client["method"] != "none":
                state = self.session().introspect_token(
                    self.metadata["introspection_endpoint"], token=self.token["access_token"]
                )
                expect(state.json() == {"active": False}, "its access token is still active")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        facts = json.load(file)
    return closing_line(*[Client(facts, client).run() for client in facts["clients"]])


if __name__ == "__main__":
    sys.exit(main())

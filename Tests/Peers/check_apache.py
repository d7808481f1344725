"""Apache with mod_auth_openidc as a client of our Provider, and as a resource server."""

import os

from apache import Apache
from portico import ANN, APACHE_SECRET, Portico, write_realm
from running import workspace
from steps import Steps, Stop, expect
from web import Visitor, address, form_with, submit_sign_in


class Walk:
    def __init__(self, steps, provider, apache):
        self.steps, self.provider, self.apache = steps, provider, apache
        self.visitor = Visitor()

    def sign_in(self, posted=False):
        """`posted`: the response comes by form_post, through the page's own form."""
        with self.steps.step("the protected page asks us, with PKCE S256"):
            challenge = self.visitor.get(self.apache.private)
            expect(challenge.status == 302, f"the page answers {challenge.status}")
            expect(challenge.location.startswith(f"{self.provider.endpoint}/auth?"), "elsewhere")
            expect(challenge.query().get("code_challenge_method") == "S256", "no S256")
        with self.steps.step("sign-in by our form leads back, the claims reach the page"):
            page = self.visitor.get(challenge.location)
            expect(page.status == 200, f"the sign-in page answers {page.status}")
            answer = submit_sign_in(self.visitor, page, *ANN)
            while answer.status in (302, 303) and self.provider.base in answer.location:
                answer = self.visitor.get(answer.location)
            if posted:
                action, fields, _ = form_with(answer, "code")
                answer = self.visitor.post(action, fields)
            answer = self.visitor.follow(answer, until=self.apache.private)
            expect(answer.status in (302, 303), f"{answer.status}: {self.apache.errors(1500)}")
            self.expect_page(self.visitor.get(self.apache.private))

    def expect_page(self, page):
        expect(page.status == 200, f"{page.status}: {self.apache.errors(1500)}")
        claims = {name: page.headers[f"X-Claim-{name}"] for name in ("iss", "sub", "name", "email")}
        expect(claims["iss"] == self.provider.issuer, f"iss is {claims['iss']}")
        expect(claims["name"] == "Ann Example", f"name is {claims['name']}")
        expect(claims["email"] == "ann@example.com", f"email is {claims['email']}")
        expect(page.headers["X-Claim-preferred-username"] == "ann", "no preferred_username")

    def info(self):
        answer = self.visitor.get(f"{self.apache.redirect_uri}?info=json")
        expect(answer.status == 200, f"the session information answers {answer.status}")
        return answer.json()

    def refresh(self):
        with self.steps.step("it refreshes the access token"):
            before = self.info()
            expect(before["userinfo"]["email"] == "ann@example.com", "UserInfo was not asked")
            url = address(
                self.apache.redirect_uri,
                refresh=self.apache.private,
                access_token=before["access_token"],
            )
            answer = self.visitor.get(url)
            expect(answer.status == 302 and "error" not in answer.location, answer.location)
            after = self.info()
            expect(after["access_token"] != before["access_token"], "the same access token")
            expect(after["refresh_token"] != before["refresh_token"], "no rotation")
            return after["access_token"]

    def introspect(self, token):
        with self.steps.step("as a resource server it finds us by RFC 8414 and introspects"):
            stranger = Visitor()
            good = stranger.get(self.apache.api, headers={"Authorization": f"Bearer {token}"})
            expect(good.status == 200, f"{good.status}: {self.apache.errors(1500)}")
            expect(good.headers["X-Claim-sub"], "introspection gave no sub")
            broken = token[:-8] + "AAAAAAAA"
            bad = stranger.get(self.apache.api, headers={"Authorization": f"Bearer {broken}"})
            expect(bad.status == 401, f"a broken token gets {bad.status}")

    def sign_out(self, token):
        with self.steps.step("its sign-out ends our session and comes back"):
            url = address(self.apache.redirect_uri, logout=self.apache.signed_out)
            answer = self.visitor.follow(self.visitor.get(url), until=self.apache.signed_out)
            expect(answer.status in (302, 303), f"{answer.status}: {answer.text[:500]}")
            expect(answer.location == self.apache.signed_out, f"it came to {answer.location}")
            expect(self.visitor.get(self.apache.private).status == 302, "the page is still open")
            challenge = self.visitor.get(self.apache.private)
            page = self.visitor.get(challenge.location)
            expect(
                page.status == 200 and 'name="password"' in page.text, "we still know the person"
            )
        with self.steps.step("the access token of the ended session is inactive"):
            late = Visitor().get(self.apache.api, headers={"Authorization": f"Bearer {token}"})
            expect(late.status == 401, f"it gets {late.status}")


WAYS = (
    ("query", "client_secret_basic", "peer-apache"),
    ("form_post", "client_secret_post", "peer-apache-post"),
)


def run(program):
    steps = Steps("mod_auth_openidc")
    with workspace("apache") as folder:
        os.chmod(folder, 0o711)
        peers = {}
        for mode, _, _ in WAYS:
            os.makedirs(os.path.join(folder, mode))
            peers[mode] = Apache(os.path.join(folder, mode))
        realm = os.path.join(folder, "realm.json")
        write_realm(realm, signed_out=[peer.signed_out for peer in peers.values()])
        provider = Portico(program, folder, realm)
        try:
            with steps.step("the realm is imported, one client sends its secret in the body"):
                provider.set_up(post=["peer-apache-post"])
            with provider:
                for mode, authentication, client in WAYS:
                    steps.subject = f"mod_auth_openidc, {mode}, {authentication}"
                    with peers[mode] as apache:
                        apache.start(
                            provider.issuer,
                            client,
                            APACHE_SECRET,
                            f"{provider.issuer}/.well-known/oauth-authorization-server",
                            mode,
                            authentication,
                            resource_server="peer-apache",
                        )
                        walk = Walk(steps, provider, apache)
                        walk.sign_in(posted=mode == "form_post")
                        token = walk.refresh()
                        walk.introspect(token)
                        walk.sign_out(token)
        except Stop:
            pass
    return steps

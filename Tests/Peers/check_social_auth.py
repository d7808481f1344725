"""Python Social Auth, its backend `oidc`, in a Django project, set up by what `--for` prints."""

import pypi
from django_project import Project
from portico import ANN, BOB, SUBJECTS, Portico
from product import Made, realm_in, sign_in, sign_out_here
from running import free_port, workspace
from steps import Steps, Stop, expect
from web import Visitor, unverified_claims

PACKAGE = "social-auth-app-django"
# What it stores about the person, as an app's own code would read it.
KEPT = """
import json
from social_django.models import UserSocialAuth
from social_django.utils import load_strategy
(account,) = UserSocialAuth.objects.filter(user__username={name!r})
{more}
print(json.dumps(dict(account.extra_data, provider=account.provider, uid=account.uid)))
"""
REFRESH = "account.refresh_token(load_strategy())"
REFUSED = """
from social_core.exceptions import SocialAuthBaseException
try:
    account.refresh_token(load_strategy())
except SocialAuthBaseException as problem:
    account.extra_data = {"problem": type(problem).__name__ + ": " + str(problem)}
"""


class Walk:
    def __init__(self, steps, provider, project):
        self.steps, self.provider, self.project = steps, provider, project

    def kept(self, name, more=""):
        return self.project.shell(KEPT.format(name=name, more=more))

    def sign_in(self, visitor, person, wanted):
        name = person[0]
        with self.steps.step(f"{name} signs in, with PKCE and a nonce"):
            # It begins by POST only.
            asked = self.project.press(visitor, "/login/oidc/")
            sent = asked.query()
            expect(sent.get("code_challenge_method") == "S256", "it sends no PKCE")
            expect(sent.get("nonce"), "it sends no nonce")
            answer = sign_in(visitor, self.provider, asked, person)
            page = visitor.follow(answer, until="none")
            expect(page.url.split("#")[0] == f"{self.project.base}/", f"it ends at {page.url}")
            found = self.project.person(page)
            expect(found == wanted, f"it is {found}")
            kept = self.kept(name)
            expect(kept["uid"] == SUBJECTS[name], f"it keeps {kept['uid']}")
            expect(kept["provider"] == "oidc", f"it keeps {kept['provider']}")

    def refreshed(self):
        with self.steps.step("it refreshes: other tokens, the same person"):
            before = self.kept("ann")
            after = self.kept("ann", REFRESH)
            for name in ("access_token", "refresh_token", "id_token"):
                expect(after[name] != before[name], f"the same {name}")
            claims = unverified_claims(after["id_token"])
            expect(claims["sub"] == SUBJECTS["ann"], f"sub is {claims['sub']}")
            person = Visitor().get(
                f"{self.provider.endpoint}/userinfo",
                headers={"Authorization": f"Bearer {after['access_token']}"},
            )
            expect(person.json()["email"] == "ann@example.com", f"it is {person.text}")

    def ended_here(self, visitor):
        with self.steps.step("once the session here is over, it cannot refresh"):
            expect("problem" not in self.kept("bob", REFUSED), "it could not before either")
            sign_out_here(visitor, self.provider)
            kept = self.kept("bob", REFUSED)
            expect("problem" in kept, "it could")


def person(username, first, last):
    email = f"{username}@example.com"
    return {"username": username, "email": email, "first_name": first, "last_name": last}


def run(program):
    steps = Steps("social-auth")
    steps.product = "social-auth"
    steps.seen = "sign-in with PKCE, refresh"
    python = pypi.product("social-auth", "social-auth-app-django~=8.0")
    core = pypi.version(python, "social-auth-core")
    steps.version = f"{pypi.version(python, PACKAGE)} with social-auth-core {core}"
    with workspace("social-auth") as folder:
        project = Project(python, folder, free_port())
        provider = Portico(program, folder, realm_in(folder)).set_up()
        try:
            with provider:
                with steps.step("it is set up by what --for prints"):
                    project.paste(Made(provider, "social-auth", project.base))
                with project:
                    walk = Walk(steps, provider, project)
                    ann, bob = Visitor(), Visitor()
                    walk.sign_in(ann, ANN, person("ann", "Ann", "Example"))
                    walk.sign_in(bob, BOB, person("bob", "Bob", "Exämple"))
                    walk.refreshed()
                    walk.ended_here(bob)
        except Stop:
            pass
    return steps

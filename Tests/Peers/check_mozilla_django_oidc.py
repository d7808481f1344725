"""mozilla-django-oidc (PyPI) in a Django project, set up by what `--for` prints."""

import time

import pypi
from django_project import Project
from portico import ANN, BOB, SUBJECTS, Portico
from product import Made, is_known, realm_in, sign_in, sign_out_here
from running import free_port, workspace
from steps import Steps, Stop, expect
from web import Visitor, unverified_claims

PACKAGE = "mozilla-django-oidc"
# Its documentation, too, shortens the time after which it asks again; it is a quarter of an hour.
SOON = "OIDC_RENEW_ID_TOKEN_EXPIRY_SECONDS = 2\n"


class Walk:
    def __init__(self, steps, provider, project):
        self.steps, self.provider, self.project = steps, provider, project

    def sign_in(self, visitor, person, email):
        name = person[0]
        with self.steps.step(f"a page with login_required sends {name} to us, and back to it"):
            answer = visitor.get(f"{self.project.base}/private")
            asked = visitor.follow(answer, until=self.provider.base)
            expect(asked.query().get("nonce"), "it sends no nonce")
            answer = sign_in(visitor, self.provider, asked, person)
            page = visitor.follow(answer, until="none")
            expect(page.url == f"{self.project.base}/private", f"it ends at {page.url}")
            expect(self.project.person(page)["email"] == email, f"it is {page.text}")
            claims = unverified_claims(self.project.session(visitor)["oidc_id_token"])
            expect(claims["sub"] == SUBJECTS[name], f"sub is {claims['sub']}")

    def refreshed(self, visitor):
        with self.steps.step("SessionRefresh asks without a page, and gets a new ID Token"):
            before = self.project.session(visitor)["oidc_id_token"]
            time.sleep(2.1)
            answer = visitor.get(f"{self.project.base}/")
            expect(answer.query().get("prompt") == "none", f"{answer.status} {answer.location}")
            page = visitor.follow(answer, until="none")
            expect(self.project.person(page)["email"] == "ann@example.com", f"it is {page.text}")
            after = self.project.session(visitor)["oidc_id_token"]
            expect(after != before, "the same ID Token")

    def sign_out(self, visitor):
        with self.steps.step("its sign-out ends our session and comes back"):
            expect(is_known(visitor, self.provider), "our session is over already")
            answer = self.project.press(visitor, "/oidc/logout/")
            expect(answer.location.startswith(f"{self.provider.endpoint}/logout?"), answer.location)
            page = visitor.follow(answer, until="none")
            expect(page.url == f"{self.project.base}/", f"it ends at {page.url}: {page.text}")
            expect(self.project.person(page) is None, f"it is {page.text}")
            expect(not is_known(visitor, self.provider), "our session goes on")

    def ended_here(self, visitor):
        with self.steps.step("once the session here is over, SessionRefresh signs out there"):
            sign_out_here(visitor, self.provider)
            time.sleep(2.1)
            answer = visitor.follow(visitor.get(f"{self.project.base}/"), until=self.project.base)
            expect("error=login_required" in answer.location, f"it is {answer.location}")
            visitor.follow(answer, until="none")
            expect(self.project.who(visitor) is None, "the project still knows them")
            asked = visitor.get(f"{self.project.base}/private")
            expect(asked.status == 302, f"the page answers {asked.status}")


def run(program):
    steps = Steps(PACKAGE)
    steps.product = PACKAGE
    steps.seen = "sign-in, SessionRefresh, login_required once the session here is over, sign-out"
    python = pypi.product(PACKAGE, "mozilla-django-oidc~=5.0")
    steps.version = pypi.version(python, PACKAGE)
    with workspace(PACKAGE) as folder:
        project = Project(python, folder, free_port())
        provider = Portico(program, folder, realm_in(folder)).set_up()
        try:
            with provider:
                with steps.step("it is set up by what --for prints"):
                    project.paste(Made(provider, PACKAGE, project.base))
                    project.add(SOON)
                with project:
                    walk = Walk(steps, provider, project)
                    ann, bob = Visitor(), Visitor()
                    walk.sign_in(ann, ANN, "ann@example.com")
                    walk.sign_in(bob, BOB, "bob@example.com")
                    walk.refreshed(ann)
                    walk.sign_out(ann)
                    walk.ended_here(bob)
        except Stop:
            pass
    return steps

"""django-allauth (PyPI) in a Django project, set up by what `--for` prints."""

import pypi
from django_project import Project
from portico import ANN, BOB, SUBJECTS, Portico
from product import Made, realm_in, sign_in
from running import free_port, workspace
from steps import Steps, Stop, expect
from web import Visitor, form_with

PACKAGE = "django-allauth"
# It emails people with an unverified address, such as bob, and there is no mail server.
NO_MAIL = 'EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"\n'
# Who it thinks they are: the account at us that it keeps for the person of that name.
ACCOUNT = """
import json
from allauth.socialaccount.models import SocialAccount
(account,) = SocialAccount.objects.filter(user__username={name!r})
print(json.dumps([account.user_id, account.provider, account.uid]))
"""


class Walk:
    def __init__(self, steps, provider, project):
        self.steps, self.provider, self.project = steps, provider, project

    def sign_in(self, visitor, person):
        """With its own page, which has a button that posts."""
        page = visitor.get(f"{self.project.base}/accounts/oidc/portico/login/")
        action, fields, _ = form_with(page, "csrfmiddlewaretoken")
        asked = visitor.follow(visitor.post(action, fields), until=self.provider.base)
        expect(asked.query().get("code_challenge_method") == "S256", "it sends no PKCE")
        answer = sign_in(visitor, self.provider, asked, person)
        page = visitor.follow(answer, until="none")
        expect(page.url == f"{self.project.base}/", f"it ends at {page.url}: {page.text[:1000]}")
        return self.project.person(page)

    def registered(self, visitor, person, wanted):
        with self.steps.step(f"{person[0]} signs in, and gets an account with name and address"):
            found = self.sign_in(visitor, person)
            expect(found == wanted, f"it is {found}")
            account = self.project.shell(ACCOUNT.format(name=person[0]))
            expect(account[1:] == ["portico", SUBJECTS[person[0]]], f"the account is {account}")

    def returned(self, visitor):
        with self.steps.step("she signs out there, and returns to the same account"):
            before = self.project.shell(ACCOUNT.format(name="ann"))
            page = visitor.get(f"{self.project.base}/accounts/logout/")
            action, fields, _ = form_with(page, "csrfmiddlewaretoken")
            visitor.post(action, fields)
            expect(self.project.who(visitor) is None, "she is signed in still")
            found = self.sign_in(Visitor(), ANN)
            expect(found["username"] == "ann", f"it is {found}")
            expect(self.project.shell(ACCOUNT.format(name="ann")) == before, "another account")


def run(program):
    steps = Steps(PACKAGE)
    steps.product = PACKAGE
    steps.seen = "sign-in with PKCE, accounts with name and address"
    python = pypi.product(PACKAGE, "django-allauth[socialaccount]~=65.21")
    steps.version = pypi.version(python, PACKAGE)
    with workspace(PACKAGE) as folder:
        project = Project(python, folder, free_port())
        provider = Portico(program, folder, realm_in(folder)).set_up()
        try:
            with provider:
                with steps.step("it is set up by what --for prints"):
                    project.paste(Made(provider, PACKAGE, project.base))
                    project.add(NO_MAIL)
                with project:
                    walk = Walk(steps, provider, project)
                    ann = Visitor()
                    walk.registered(
                        ann,
                        ANN,
                        {
                            "username": "ann",
                            "email": "ann@example.com",
                            "first_name": "Ann",
                            "last_name": "Example",
                        },
                    )
                    walk.registered(
                        Visitor(),
                        BOB,
                        {
                            "username": "bob",
                            "email": "bob@example.com",
                            "first_name": "Bob",
                            "last_name": "Exämple",
                        },
                    )
                    walk.returned(ann)
        except Stop:
            pass
    return steps

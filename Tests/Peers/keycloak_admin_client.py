#!/usr/bin/env python3
"""python-keycloak (PyPI, unmodified) administers our Provider: it makes the realm of an app whose
screens depend on roles, and the people sign in to it.

Run by check_python_keycloak_admin.py with the Python that has it. Reads a JSON file: the base
address and the password of the administrator `root` of the realm master.
"""

import json
import sys

from keycloak import KeycloakAdmin
from keycloak.exceptions import KeycloakError

from steps import Steps, Stop, closing_line, expect
from web import Visitor, address, code_verifier, s256, submit_sign_in, unverified_claims

REALM = "shop"
APP = "mobile-app"
REDIRECT = "exp://192.168.0.10:8081"
PASSWORD = "correct horse battery 1"
PEOPLE = {"jd": ("John", "Doe", "IC"), "jr": ("Jane", "Roe", "Manager")}


class Walk:
    def __init__(self, facts, steps):
        self.base, self.steps = facts["base"], steps
        self.password = facts["password"]
        self.admin = None
        self.client = None

    def sign_in(self):
        with self.steps.step("a wrong password is refused, the right one gives a token"):
            self.refused(lambda: self.connect("wrong").get_realms(), "invalid_grant")
            self.admin = self.connect(self.password)
            expect([r["realm"] for r in self.admin.get_realms()] == ["master"], "its realms")

    def connect(self, password):
        return KeycloakAdmin(
            server_url=self.base + "/",
            username="root",
            password=password,
            realm_name="master",
            client_id="admin-cli",
        )

    def make(self):
        admin = self.admin
        with self.steps.step("it makes a realm"):
            admin.create_realm({"realm": REALM, "enabled": True, "displayName": "Shop"})
            self.refused(lambda: admin.create_realm({"realm": REALM}), "already exists")
            admin.change_current_realm(REALM)
            expect(admin.get_realm(REALM)["displayName"] == "Shop", "its name")
        with self.steps.step("it makes a client with roles and a mapper"):
            self.client = admin.create_client(
                {
                    "clientId": APP,
                    "publicClient": True,
                    "redirectUris": [REDIRECT],
                    "protocol": "openid-connect",
                }
            )
            expect(admin.get_client_id(APP) == self.client, "its id")
            for role in ("IC", "Manager"):
                admin.create_client_role(self.client, {"name": role})
            admin.add_mapper_to_client(
                self.client,
                {
                    "name": "client roles",
                    "protocol": "openid-connect",
                    "protocolMapper": "oidc-usermodel-client-role-mapper",
                    "config": {
                        "usermodel.clientRoleMapping.clientId": APP,
                        "claim.name": "roles",
                        "jsonType.label": "String",
                        "multivalued": "true",
                        "access.token.claim": "true",
                        "id.token.claim": "true",
                        "userinfo.token.claim": "true",
                    },
                },
            )
            expect(len(admin.get_mappers_from_client(self.client)) == 1, "its mappers")
        with self.steps.step("it makes people, and gives them roles"):
            for name, (given, family, role) in PEOPLE.items():
                person = admin.create_user(
                    {
                        "username": name,
                        "email": f"{name}@example.com",
                        "emailVerified": True,
                        "enabled": True,
                        "firstName": given,
                        "lastName": family,
                        "credentials": [
                            {"type": "password", "value": PASSWORD, "temporary": False}
                        ],
                    }
                )
                expect(admin.get_user_id(name) == person, "its id")
                wanted = admin.get_client_role(self.client, role)
                admin.assign_client_role(person, self.client, [wanted])
                has = [r["name"] for r in admin.get_client_roles_of_user(person, self.client)]
                expect(has == [role], f"{name} has {has}")
            expect(admin.users_count() == len(PEOPLE), "they are counted")
            found = admin.get_users({"search": "roe"})
            expect([u["username"] for u in found] == ["jr"], f"it found {found}")

    def people_sign_in(self):
        for name, (_, _, role) in PEOPLE.items():
            with self.steps.step(f"{name} signs in to the app, as {role}"):
                claims = unverified_claims(self.tokens(name)["access_token"])
                expect(claims["roles"] == [role], f"the token says {claims}")
                expect(claims["azp"] == APP, f"the token says {claims}")

    def tokens(self, name):
        endpoint = f"{self.base}/realms/{REALM}/protocol/openid-connect"
        visitor, verifier = Visitor(), code_verifier()
        page = visitor.get(
            address(
                endpoint + "/auth",
                client_id=APP,
                response_type="code",
                redirect_uri=REDIRECT,
                scope="openid profile",
                code_challenge=s256(verifier),
                code_challenge_method="S256",
            )
        )
        answer = visitor.follow(submit_sign_in(visitor, page, name, PASSWORD), until="exp://")
        reply = visitor.post(
            endpoint + "/token",
            {
                "grant_type": "authorization_code",
                "code": answer.query()["code"],
                "client_id": APP,
                "redirect_uri": REDIRECT,
                "code_verifier": verifier,
            },
        )
        expect(reply.status == 200, f"{reply.status} {reply.text}")
        return reply.json()

    def more(self):
        admin = self.admin
        with self.steps.step("realm roles, composites and groups"):
            admin.create_realm_role({"name": "editor"})
            admin.create_realm_role({"name": "chief"})
            admin.add_composite_realm_roles_to_role("chief", [admin.get_realm_role("editor")])
            staff = admin.create_group({"name": "staff"})
            ios = admin.create_group({"name": "ios"}, parent=staff)
            expect(admin.get_group_by_path("/staff/ios")["id"] == ios, "its path")
            admin.assign_group_realm_roles(staff, [admin.get_realm_role("chief")])
            person = admin.get_user_id("jd")
            admin.group_user_add(person, ios)
            members = [u["username"] for u in admin.get_group_members(ios)]
            expect(members == ["jd"], f"its members are {members}")
            has = {r["name"] for r in admin.get_composite_realm_roles_of_user(person)}
            expect({"chief", "editor"} <= has, f"jd has {has}")
        with self.steps.step("a confidential client, its secret and its account"):
            service = admin.create_client(
                {"clientId": "service", "publicClient": False, "serviceAccountsEnabled": True}
            )
            secret = admin.get_client_secrets(service)["value"]
            expect(admin.generate_client_secrets(service)["value"] != secret, "it is another one")
            account = admin.get_client_service_account_user(service)
            expect(account["username"] == "service-account-service", f"it is {account}")
        with self.steps.step("a person is changed, signed out and deleted"):
            person = admin.get_user_id("jr")
            expect(len(admin.get_sessions(person)) == 1, "is signed in once")
            admin.update_user(person, {"firstName": "Janet"})
            changed = admin.get_user(person)
            expect((changed["firstName"], changed["lastName"]) == ("Janet", "Roe"), f"{changed}")
            admin.set_user_password(person, "another word of Jane's", temporary=False)
            expect(admin.get_sessions(person) == [], "is signed out")
            admin.user_logout(person)
            admin.delete_user(person)
            self.refused(lambda: admin.get_user(person), "User not found")
        with self.steps.step("the realm is deleted"):
            admin.change_current_realm("master")
            admin.delete_realm(REALM)
            self.refused(lambda: admin.delete_realm(REALM), "Realm not found.")

    def refused(self, act, words):
        try:
            act()
        except KeycloakError as problem:
            expect(words in str(problem), f"it says {problem}")
            return
        raise AssertionError("it was not refused")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        facts = json.load(file)
    steps = Steps("python-keycloak-admin")
    walk = Walk(facts, steps)
    try:
        walk.sign_in()
        walk.make()
        walk.people_sign_in()
        walk.more()
    except Stop:
        pass
    return closing_line(steps)


if __name__ == "__main__":
    sys.exit(main())

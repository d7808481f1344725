#!/usr/bin/env python3
"""The requests of an Expo app to Keycloak, as the app sends them, against a server that was moved.

    requests.py ISSUER USERNAME PASSWORD

Signs a person in on the page, takes the code from the address exp://…, and prints who it is.
"""

import base64
import hashlib
import html
import http.cookiejar
import json
import re
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request

CLIENT = "rn-expo-app"
REDIRECT = "exp://192.168.178.95:8081"


class KeepAddress(urllib.request.HTTPRedirectHandler):
    """A browser hands an address of the app's scheme to the app."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if newurl.startswith("exp://"):
            raise urllib.error.HTTPError(newurl, code, msg, headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def read(opener, request, body=None):
    data = urllib.parse.urlencode(body).encode() if body else None
    with opener.open(request, data, timeout=30) as reply:
        return reply.read().decode(), reply.url


def sign_in(issuer, username, password, challenge, state):
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}),
        urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
        KeepAddress,
    )
    page, address = read(
        opener,
        f"{issuer}/protocol/openid-connect/auth?code_challenge={challenge}"
        f"&code_challenge_method=S256&redirect_uri={REDIRECT}&client_id={CLIENT}"
        f"&response_type=code&state={state}&scope=openid+profile",
    )
    hidden = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page)
    form = {name: html.unescape(value) for name, value in hidden}
    form |= {"username": username, "password": password}
    action = html.unescape(re.search(r'<form[^>]* action="([^"]*)"', page).group(1))
    try:
        read(opener, urllib.parse.urljoin(address, action), form)
    except urllib.error.HTTPError as error:
        error.close()
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(error.url).query))
    sys.exit("The person was not sent back to the app.")


def main():
    issuer, username, password = sys.argv[1:]
    plain = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    answer = sign_in(issuer, username, password, challenge, state)
    if answer["state"] != state or answer["iss"] != issuer or not answer["session_state"]:
        sys.exit("The answer is not that of this request.")

    text, _ = read(
        plain,
        f"{issuer}/protocol/openid-connect/token",
        {
            "grant_type": "authorization_code",
            "client_id": CLIENT,
            "code": answer["code"],
            "code_verifier": verifier,
            "redirect_uri": REDIRECT,
        },
    )
    tokens = json.loads(text)
    bearer = {"Authorization": f"Bearer {tokens['access_token']}", "Accept": "application/json"}
    user_info = urllib.request.Request(
        f"{issuer}/protocol/openid-connect/userinfo", headers=bearer
    )
    person = json.loads(read(plain, user_info)[0])
    print(f"{person['preferred_username']}: {person['name']}, {', '.join(person['roles'])}")

    # The app ends the session by its ID Token alone, and has no cookies.
    read(plain, f"{issuer}/protocol/openid-connect/logout?id_token_hint={tokens['id_token']}")
    try:
        read(plain, user_info)
    except urllib.error.HTTPError as error:
        error.close()
        print(f"signed out: UserInfo answers {error.code}")
        return
    sys.exit("The session has not ended.")


if __name__ == "__main__":
    main()

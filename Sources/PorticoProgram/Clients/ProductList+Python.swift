extension ProductList {
    /// Frameworks and libraries for a web app in Python.
    static let python = #"""
        = django-allauth
        title: django-allauth, provider openid_connect
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/accounts/oidc/portico/login/callback/
        works: Sign-in.
        ran: 2026-11-24, django-allauth 65.21.1: sign-in with PKCE, accounts with name and address
        source: https://docs.allauth.org/en/latest/socialaccount/providers/openid_connect.html
        source: https://docs.allauth.org/en/latest/installation/quickstart.html
        note: It sends no nonce, and PKCE only with OAUTH_PKCE_ENABLED, which is therefore required.
        file: Terminal
        | pip install "django-allauth[socialaccount]"
        file: settings.py, at its end
        | INSTALLED_APPS += [
        |     "allauth",
        |     "allauth.account",
        |     "allauth.socialaccount",
        |     "allauth.socialaccount.providers.openid_connect",
        | ]
        | MIDDLEWARE += ["allauth.account.middleware.AccountMiddleware"]
        | AUTHENTICATION_BACKENDS = [
        |     "django.contrib.auth.backends.ModelBackend",
        |     "allauth.account.auth_backends.AuthenticationBackend",
        | ]
        | LOGIN_REDIRECT_URL = "/"
        | SOCIALACCOUNT_PROVIDERS = {
        |     "openid_connect": {
        |         "OAUTH_PKCE_ENABLED": True,
        |         "APPS": [
        |             {
        |                 "provider_id": "portico",
        |                 "name": "Portico",
        |                 "client_id": "{client_id}",
        |                 "secret": "{client_secret}",
        |                 "settings": {
        |                     "server_url": "{issuer}",
        |                 },
        |             },
        |         ],
        |     },
        | }
        file: urls.py, at its end
        | from django.urls import include
        |
        | urlpatterns += [path("accounts/", include("allauth.urls"))]

        = flask
        title: Flask, Flask-OIDC
        url: https://app.example.com
        options: --template web --redirect-uri {url}/authorize
        works: Sign-in; it sends a nonce.
        source: https://flask-oidc.readthedocs.io/
        source: https://flask-appbuilder.readthedocs.io/en/latest/security.html
        note: Flask-AppBuilder and Superset need the same client with a redirect of their own: {url}/oauth-authorized/portico
        file: client_secrets.json
        | {
        |   "web": {
        |     "issuer": "{issuer}",
        |     "client_id": "{client_id}",
        |     "client_secret": "{client_secret}",
        |     "auth_uri": "{authorization_endpoint}",
        |     "token_uri": "{token_endpoint}",
        |     "userinfo_uri": "{userinfo_endpoint}",
        |     "redirect_uris": ["{redirect_uri}"]
        |   }
        | }
        file: app.py
        | app.config["SECRET_KEY"] = "{random}"
        | app.config["OIDC_CLIENT_SECRETS"] = "client_secrets.json"
        | app.config["OIDC_SCOPES"] = "openid profile email"
        | oidc = OpenIDConnect(app)

        = mozilla-django-oidc
        title: mozilla-django-oidc
        url: https://app.example.com
        options: --template web --redirect-uri {url}/oidc/callback/ --post-logout-redirect-uri {url}/
        works: Sign-in, SessionRefresh without a page, sign-out with the ID Token. After the session at Portico ends, the next refresh signs people out of the app.
        ran: 2026-11-24, mozilla-django-oidc 5.0.2: sign-in, SessionRefresh, login_required once the session here is over, sign-out
        source: https://mozilla-django-oidc.readthedocs.io/en/stable/settings.html
        source: https://mozilla-django-oidc.readthedocs.io/en/stable/installation.html
        note: It sends a nonce. For PKCE as well, from 4.0 on: OIDC_USE_PKCE = True
        note: It matches people by email address, verified or not: never give two people the same one. People without one are sent to LOGIN_REDIRECT_URL_FAILURE, which must be a page that needs no sign-in.
        note: It signs people out by POST: <form method="post" action="{% url 'oidc_logout' %}">{% csrf_token %}<button>Sign out</button></form>
        note: Usernames in Django are hashes of the address, unless OIDC_USERNAME_ALGO names your own function.
        file: Terminal
        | pip install mozilla-django-oidc
        file: settings.py, at its end
        | INSTALLED_APPS += ["mozilla_django_oidc"]
        | MIDDLEWARE += ["mozilla_django_oidc.middleware.SessionRefresh"]
        | AUTHENTICATION_BACKENDS = [
        |     "mozilla_django_oidc.auth.OIDCAuthenticationBackend",
        |     "django.contrib.auth.backends.ModelBackend",
        | ]
        | LOGIN_URL = "oidc_authentication_init"
        | OIDC_RP_CLIENT_ID = "{client_id}"
        | OIDC_RP_CLIENT_SECRET = "{client_secret}"
        | OIDC_RP_SIGN_ALGO = "RS256"
        | OIDC_RP_SCOPES = "openid profile email"
        | OIDC_OP_AUTHORIZATION_ENDPOINT = "{authorization_endpoint}"
        | OIDC_OP_TOKEN_ENDPOINT = "{token_endpoint}"
        | OIDC_OP_USER_ENDPOINT = "{userinfo_endpoint}"
        | OIDC_OP_JWKS_ENDPOINT = "{jwks_uri}"
        | OIDC_OP_LOGOUT_URL_METHOD = "sign_out.address"
        | OIDC_STORE_ID_TOKEN = True
        | LOGIN_REDIRECT_URL = "/"
        | LOGIN_REDIRECT_URL_FAILURE = "/refused"
        | LOGOUT_REDIRECT_URL = "/"
        file: urls.py, at its end
        | from django.urls import include
        |
        | urlpatterns += [path("oidc/", include("mozilla_django_oidc.urls"))]
        file: sign_out.py, beside manage.py
        | from urllib.parse import urlencode
        |
        | def address(request):
        |     token = request.session.get("oidc_id_token")
        |     if token is None:
        |         return "/"
        |     return "{end_session_endpoint}?" + urlencode(
        |         [
        |             ("id_token_hint", token),
        |             ("post_logout_redirect_uri", "{post_logout_redirect_uri}"),
        |         ]
        |     )

        = python-keycloak
        title: python-keycloak, KeycloakOpenID
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/callback
        works: Sign-in, UserInfo, introspection, refresh, tokens verified with Portico's keys, sign-out with the refresh token.
        ran: 2026-11-24, python-keycloak 7.1.1: sign-in, UserInfo, introspection, refresh, client credentials, sign-out
        source: https://python-keycloak.readthedocs.io/en/latest/modules/openid_client.html
        note: For the app's own tokens, without a person: portico client update {client_id} --grant-type authorization_code --grant-type refresh_token --grant-type client_credentials
        note: decode_token finds the keys itself; public_key() works, too. KeycloakAdmin needs the admin REST API.
        file: Terminal
        | pip install python-keycloak
        file: sign_in.py
        | import base64
        | import hashlib
        | import secrets
        |
        | from keycloak import KeycloakOpenID
        |
        | keycloak = KeycloakOpenID(
        |     server_url="{server}/",
        |     realm_name="{realm}",
        |     client_id="{client_id}",
        |     client_secret_key="{client_secret}",
        | )
        |
        |
        | # Send the browser to this URL. The session keeps the values to compare with the response.
        | def address(session):
        |     session["state"], session["verifier"] = secrets.token_urlsafe(), secrets.token_urlsafe(48)
        |     digest = hashlib.sha256(session["verifier"].encode()).digest()
        |     return keycloak.auth_url(
        |         redirect_uri="{redirect_uri}",
        |         scope="openid profile email",
        |         state=session["state"],
        |         code_challenge=base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        |         code_challenge_method="S256",
        |     )
        |
        |
        | # Exchange the response at {redirect_uri} for tokens and the person.
        | def signed_in(session, state, code):
        |     if state is None or state != session.pop("state", None):
        |         raise PermissionError("This sign-in was not begun here.")
        |     tokens = keycloak.token(
        |         grant_type="authorization_code",
        |         code=code,
        |         redirect_uri="{redirect_uri}",
        |         code_verifier=session.pop("verifier"),
        |     )
        |     expected = dict(iss="{issuer}", aud="{client_id}")
        |     return tokens, keycloak.decode_token(tokens["id_token"], check_claims=expected)

        = social-auth
        title: Python Social Auth, backend oidc
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/complete/oidc/
        works: Sign-in and refresh.
        ran: 2026-11-24, Python Social Auth 8.0.0 with social-auth-core 7.0.0: sign-in with PKCE, refresh
        source: https://python-social-auth.readthedocs.io/en/latest/backends/oidc.html
        source: https://python-social-auth.readthedocs.io/en/latest/configuration/django.html
        note: For Django. From version 8, a sign-in starts only with a POST: a form with its csrf_token, to the URL social:begin with "oidc".
        file: Terminal
        | pip install social-auth-app-django
        file: settings.py, at its end
        | INSTALLED_APPS += ["social_django"]
        | AUTHENTICATION_BACKENDS = [
        |     "social_core.backends.open_id_connect.OpenIdConnectAuth",
        |     "django.contrib.auth.backends.ModelBackend",
        | ]
        | SOCIAL_AUTH_OIDC_OIDC_ENDPOINT = "{issuer}"
        | SOCIAL_AUTH_OIDC_KEY = "{client_id}"
        | SOCIAL_AUTH_OIDC_SECRET = "{client_secret}"
        | SOCIAL_AUTH_OIDC_USE_PKCE = True
        | LOGIN_REDIRECT_URL = "/"
        file: urls.py, at its end
        | from django.urls import include
        |
        | urlpatterns += [path('', include('social_django.urls', namespace='social'))]

        = streamlit
        title: Streamlit, st.login
        url: https://app.example.com
        options: --template web --redirect-uri {url}/oauth2callback --post-logout-redirect-uri {url}/oauth2callback
        works: Sign-in, claims with roles. st.logout also ends the session at Portico and returns to the app.
        ran: 2026-11-24, Streamlit 1.67.0: sign-in in Chromium, roles, sign-out
        source: https://docs.streamlit.io/develop/concepts/connections/authentication
        note: After st.logout, people also go to the redirect URI, and from it to the app's first page.
        file: Terminal
        | pip install "streamlit[auth]"
        file: .streamlit/secrets.toml
        | [auth]
        | redirect_uri = "{redirect_uri}"
        | cookie_secret = "{random}"
        | client_id = "{client_id}"
        | client_secret = "{client_secret}"
        | server_metadata_url = "{discovery}"
        file: app.py
        | import streamlit as st
        |
        | if not st.user.is_logged_in:
        |     st.button("Sign in", on_click=st.login)
        |     st.stop()
        |
        | st.write(st.user.name)
        | st.button("Sign out", on_click=st.logout)
        """#
}

/// The products that `portico client create --for` knows: one entry each, in the form of
/// ``ProductFile``, with the placeholders of ``ProductValues``. `docs/clients.md` is made of it:
///
///     portico client products --markdown > docs/clients.md
///
/// Name no setting that the product's documentation does not have. Write `ran:` only for what you ran.
/// The order does not matter.
enum ProductList {
    static let text = #"""
        | # Clients
        |
        | `portico client create NAME --for PRODUCT --url URL` creates a client for one of these products and prints the
        | product's configuration to stdout, ready to paste, including the new secret. File names go to stderr: if there
        | are several files, copy each from the terminal. The configuration is printed once; to see it again, delete and
        | recreate the client. Other options, such as `--redirect-uri` or `--no-pkce`, override those of `--for`.
        | `--dry-run` shows the configuration without creating anything, `--json` is for programs. `portico client
        | products` lists the products.
        |
        | A date means that the product, unmodified and in that version, signed people in with Portico. On 2026-11-22
        | the products were set up by hand, before `--for` existed; the printed configuration comes from that setup. For
        | later dates, `scripts/peers --all` set the products up with the printed configuration. Products without a date
        | follow their documentation and were never run.
        |
        | ## All products
        |
        | - The issuer is `https://HOST/realms/REALM`. Everything else is found at `/.well-known/openid-configuration`
        |   below it.
        | - A running server sees a new or changed client within about a second.
        | - A client may send its secret as `client_secret_basic` or `client_secret_post`; with `--strict`, only as it was
        |   created.
        | - `--template web` requires PKCE or a `nonce` with each sign-in, and signs ID Tokens with RS256, access tokens with
        |   ES256. Apps (`native`, `cli`, `spa`) use PKCE, and both of their tokens are signed with ES256.
        | - Roles are in `realm_access.roles` and `resource_access.CLIENT.roles`, as Keycloak's clients expect, with the
        |   scope `roles`, which clients have by default. With the scope `groups`, which a client gets with
        |   `--optional-scope groups` and must request, they are also in the flat claim `groups`: a realm's roles by
        |   name, a client's as `CLIENT:ROLE`. `--claim NAME=roles` puts the realm's roles under another name,
        |   `--claim NAME=roles:CLIENT` those of one client.
        | - For an app on this machine, use `http://127.0.0.1:PORT`; `http://localhost` needs `--development`.
        | - Create and assign roles before using them: `portico role create jupyter`, then
        |   `portico role assign jupyter ann`.
        | - A back-channel logout to an address on this machine needs `portico serve --backchannel-allow HOST:PORT`.

        = appauth-android
        title: AppAuth for Android
        url: com.example.app:/oauth2redirect
        options: --template native --redirect-uri {url} --post-logout-redirect-uri {url}
        works: Sign-in with PKCE through the browser, refresh, sign-out.
        source: https://github.com/openid/AppAuth-Android
        note: The scheme at the start of the URL belongs to your app: one of your domains, reversed.
        file: app/build.gradle
        | android {
        |     defaultConfig {
        |         manifestPlaceholders = ['appAuthRedirectScheme': '{scheme}']
        |     }
        | }
        file: SignIn.java
        | AuthorizationServiceConfiguration.fetchFromIssuer(
        |     Uri.parse("{issuer}"),
        |     (configuration, problem) -> {
        |         if (configuration == null) { return; }
        |         AuthorizationRequest request = new AuthorizationRequest.Builder(
        |             configuration,
        |             "{client_id}",
        |             ResponseTypeValues.CODE,
        |             Uri.parse("{redirect_uri}")
        |         ).setScope("openid profile email").build();
        |         startActivityForResult(service.getAuthorizationRequestIntent(request), RC_AUTH);
        |     }
        | );

        = appauth-ios
        title: AppAuth for iOS and macOS
        url: com.example.app:/oauth2redirect
        options: --template native --redirect-uri {url} --post-logout-redirect-uri {url}
        works: Sign-in with PKCE through the system browser, refresh, sign-out.
        source: https://github.com/openid/AppAuth-iOS
        note: The scheme at the start of the URL belongs to your app: one of your domains, reversed.
        file: Info.plist
        | <key>CFBundleURLTypes</key>
        | <array>
        |   <dict>
        |     <key>CFBundleURLSchemes</key>
        |     <array><string>{scheme}</string></array>
        |   </dict>
        | </array>
        file: SignIn.swift
        | OIDAuthorizationService.discoverConfiguration(
        |     forIssuer: URL(string: "{issuer}")!
        | ) { configuration, error in
        |     guard let configuration else { return }
        |     let request = OIDAuthorizationRequest(
        |         configuration: configuration,
        |         clientId: "{client_id}",
        |         scopes: [OIDScopeOpenID, OIDScopeProfile, OIDScopeEmail],
        |         redirectURL: URL(string: "{redirect_uri}")!,
        |         responseType: OIDResponseTypeCode,
        |         additionalParameters: nil
        |     )
        |     self.flow = OIDAuthState.authState(byPresenting: request, presenting: self) { state, error in
        |         self.state = state
        |     }
        | }

        = dex
        title: Dex, connector oidc
        url: https://dex.example.com/dex
        options: --template web --pkce --redirect-uri {url}/callback --optional-scope groups
        works: Dex as a broker in front of Portico: sign-in and refresh through both, groups. It detects PKCE.
        ran: 2026-11-22, Dex with its connector oidc: sign-in, refresh through both
        source: https://dexidp.io/docs/connectors/oidc/
        note: `--url` is Dex's own issuer. Groups are as of the last sign-in, hence the name insecureEnableGroups.
        file: config.yaml
        | connectors:
        | - type: oidc
        |   id: portico
        |   name: Portico
        |   config:
        |     issuer: {issuer}
        |     clientID: "{client_id}"
        |     clientSecret: "{client_secret}"
        |     redirectURI: {redirect_uri}
        |     scopes:
        |     - profile
        |     - email
        |     - groups
        |     insecureEnableGroups: true

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

        = expo
        title: Expo, expo-auth-session
        url: com.example.app:/redirect
        options: --template native --redirect-uri {url} --post-logout-redirect-uri {url}
        works: Sign-in with PKCE, refresh, sign-out, in apps built with their own scheme.
        ran: 2026-11-22, expo-auth-session 57.0.7: its requests by themselves, no device was used
        source: https://docs.expo.dev/versions/latest/sdk/auth-session/
        note: In Expo Go the redirect goes to your machine: portico client update {client_id} --development --redirect-uri {redirect_uri} --redirect-uri exp://192.168.1.10:8081
        note: For the web build, register its origin as one more redirect, without a final slash: portico client update {client_id} --redirect-uri {redirect_uri} --redirect-uri https://app.example.com --web-origin https://app.example.com
        file: app.json
        | {
        |   "expo": {
        |     "scheme": "{scheme}"
        |   }
        | }
        file: SignIn.js
        | import { makeRedirectUri, useAuthRequest, useAutoDiscovery } from 'expo-auth-session';
        |
        | const discovery = useAutoDiscovery('{issuer}');
        | const redirectUri = makeRedirectUri({ native: '{redirect_uri}' });
        | const [request, response, promptAsync] = useAuthRequest(
        |   {
        |     clientId: '{client_id}',
        |     scopes: ['openid', 'profile', 'email'],
        |     redirectUri,
        |   },
        |   discovery
        | );

        = express-openid-connect
        title: express-openid-connect
        url: https://app.example.com
        options: --template web --redirect-uri {url}/callback --post-logout-redirect-uri {url}/
        works: Sign-in, sign-out from Portico too.
        ran: 2026-11-22, express-openid-connect 3.4.0 with response_type code and RS256: sign-in
        source: https://auth0.github.io/express-openid-connect/interfaces/ConfigParams.html
        note: Its default, response_type id_token, is the implicit flow, which Portico refuses: keep 'code'.
        file: .env
        | ISSUER_BASE_URL={issuer}
        | BASE_URL={url}
        | CLIENT_ID={client_id}
        | CLIENT_SECRET={client_secret}
        | SECRET={random}
        file: server.js
        | const { auth } = require('express-openid-connect');
        |
        | app.use(
        |   auth({
        |     idpLogout: true,
        |     authorizationParams: { response_type: 'code', scope: 'openid profile email' },
        |     routes: { postLogoutRedirect: '/' },
        |   })
        | );

        = gitea
        title: Gitea, and Forgejo
        url: https://git.example.com
        options: --template web --no-pkce --redirect-uri {url}/user/oauth2/portico/callback --optional-scope groups
        works: Sign-in, administrators by group.
        source: https://docs.gitea.com/administration/command-line
        source: https://docs.gitea.com/usage/authentication
        note: Releases before 2026 send neither PKCE nor a nonce. For a later one: portico client update {client_id} --pkce
        note: People with the role gitea-admin of the realm become administrators. Leave that line out if you do not want this.
        file: Terminal
        | gitea admin auth add-oauth \
        |   --name portico \
        |   --provider openidConnect \
        |   --key={client_id} \
        |   --secret={client_secret} \
        |   --auto-discover-url {discovery} \
        |   --scopes openid --scopes profile --scopes email --scopes groups \
        |   --group-claim-name groups \
        |   --admin-group gitea-admin

        = grafana
        title: Grafana, Generic OAuth
        url: https://grafana.example.com
        options: --template web --pkce --redirect-uri {url}/login/generic_oauth --post-logout-redirect-uri {url}/login --optional-scope groups
        works: Sign-in with PKCE, roles by groups, refresh, sign-out from Portico too.
        source: https://grafana.com/docs/grafana/latest/setup-grafana/configure-security/configure-authentication/generic-oauth/
        note: The realm's roles grafana-admin and grafana-editor make people administrators and editors.
        file: grafana.ini
        | [server]
        | root_url = {url}/
        |
        | [auth.generic_oauth]
        | enabled = true
        | name = Portico
        | client_id = {client_id}
        | client_secret = {client_secret}
        | scopes = openid profile email groups
        | auth_url = {authorization_endpoint}
        | token_url = {token_endpoint}
        | api_url = {userinfo_endpoint}
        | use_pkce = true
        | use_refresh_token = true
        | login_attribute_path = preferred_username
        | name_attribute_path = name
        | groups_attribute_path = groups
        | role_attribute_path = contains(groups[*], 'grafana-admin') && 'Admin' || contains(groups[*], 'grafana-editor') && 'Editor' || 'Viewer'
        | signout_redirect_url = {end_session_endpoint}?client_id={client_id}&post_logout_redirect_uri={post_logout_redirect_uri}

        = jupyterhub
        title: JupyterHub, GenericOAuthenticator
        url: https://hub.example.com
        options: --template web --pkce --redirect-uri {url}/hub/oauth_callback --post-logout-redirect-uri {url}/ --optional-scope groups
        works: Sign-in, roles for access and for administrators, sign-out.
        ran: 2026-11-24, JupyterHub 6.1.1 with oauthenticator 17.4.0: sign-in, roles admit and make administrators, 403 for others, sign-out
        source: https://oauthenticator.readthedocs.io/en/latest/reference/api/gen/oauthenticator.generic.html
        note: People with the realm's role jupyter have access, those with jupyter-admin are administrators: portico role create jupyter
        note: It sends no ID Token at sign-out, so Portico's page asks for confirmation. The URL is the hub's without /hub.
        file: Terminal
        | pip install oauthenticator
        file: jupyterhub_config.py
        | c.JupyterHub.authenticator_class = "generic-oauth"
        | c.GenericOAuthenticator.client_id = "{client_id}"
        | c.GenericOAuthenticator.client_secret = "{client_secret}"
        | c.GenericOAuthenticator.oauth_callback_url = "{redirect_uri}"
        | c.GenericOAuthenticator.authorize_url = "{authorization_endpoint}"
        | c.GenericOAuthenticator.token_url = "{token_endpoint}"
        | c.GenericOAuthenticator.userdata_url = "{userinfo_endpoint}"
        | c.GenericOAuthenticator.logout_redirect_url = (
        |     "{end_session_endpoint}?client_id={client_id}"
        |     "&post_logout_redirect_uri={post_logout_redirect_uri}"
        | )
        | c.GenericOAuthenticator.login_service = "Portico"
        | c.GenericOAuthenticator.scope = ["openid", "profile", "email", "groups"]
        | c.GenericOAuthenticator.username_claim = "preferred_username"
        | c.GenericOAuthenticator.manage_groups = True
        | c.GenericOAuthenticator.auth_state_groups_key = "oauth_user.groups"
        | c.GenericOAuthenticator.allowed_groups = ["jupyter", "jupyter-admin"]
        | c.GenericOAuthenticator.admin_groups = ["jupyter-admin"]

        = kube-apiserver
        title: Kubernetes, the API server
        standard-url: http://127.0.0.1:8000
        options: --template native --id-token-algorithm RS256 --redirect-uri {url}/callback --optional-scope groups
        works: The cluster accepts this client's ID Tokens as its users, with their roles as groups.
        ran: 2026-11-22, the authenticator of kube-apiserver 0.34: RS256, groups by CEL from realm_access.roles
        source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
        note: The cluster and kubectl share one client. The API server accepts only an https issuer.
        note: Use either the flags or the file, not both. In role bindings, users and groups begin with oidc:
        file: kube-apiserver, its flags
        | --oidc-issuer-url={issuer}
        | --oidc-client-id={client_id}
        | --oidc-username-claim=preferred_username
        | --oidc-username-prefix=oidc:
        | --oidc-groups-claim=groups
        | --oidc-groups-prefix=oidc:
        file: or the file that --authentication-config names
        | apiVersion: apiserver.config.k8s.io/v1
        | kind: AuthenticationConfiguration
        | jwt:
        | - issuer:
        |     url: {issuer}
        |     audiences:
        |     - "{client_id}"
        |   claimMappings:
        |     username:
        |       claim: preferred_username
        |       prefix: "oidc:"
        |     groups:
        |       claim: groups
        |       prefix: "oidc:"
        file: kubeconfig, with kubelogin
        | users:
        | - name: oidc
        |   user:
        |     exec:
        |       apiVersion: client.authentication.k8s.io/v1
        |       command: kubectl
        |       interactiveMode: IfAvailable
        |       args:
        |       - oidc-login
        |       - get-token
        |       - --oidc-issuer-url={issuer}
        |       - --oidc-client-id={client_id}
        |       - --oidc-extra-scope=profile
        |       - --oidc-extra-scope=groups
        |       - --oidc-redirect-url={redirect_uri}
        |       - --listen-address={authority}

        = kubelogin
        title: kubelogin, kubectl oidc-login
        standard-url: http://127.0.0.1:8000
        options: --template native --id-token-algorithm RS256 --redirect-uri {url}/callback --optional-scope groups
        works: Sign-in by browser, its cache and refresh. For the API server, see kube-apiserver.
        ran: 2026-11-22, kubelogin get-token: browser, cache, --force-refresh, another port
        source: https://github.com/int128/kubelogin/blob/master/docs/usage.md
        note: Portico refuses its default, http://localhost:8000: use 127.0.0.1 in both lines. Any port works.
        note: Versions without the option --oidc-redirect-url have --oidc-redirect-url-hostname=127.0.0.1, with no path.
        file: kubeconfig
        | users:
        | - name: oidc
        |   user:
        |     exec:
        |       apiVersion: client.authentication.k8s.io/v1
        |       command: kubectl
        |       interactiveMode: IfAvailable
        |       args:
        |       - oidc-login
        |       - get-token
        |       - --oidc-issuer-url={issuer}
        |       - --oidc-client-id={client_id}
        |       - --oidc-extra-scope=profile
        |       - --oidc-extra-scope=groups
        |       - --oidc-redirect-url={redirect_uri}
        |       - --listen-address={authority}

        = lemonldap-ng
        title: LemonLDAP::NG, authentication by OpenID Connect
        url: https://auth.example.com
        options: --template web --redirect-uri {url}/?openidconnectcallback=1 --post-logout-redirect-uri {url}/?logout=1 --optional-scope groups
        works: Sign-in with name, address and roles, and sign-out from Portico too.
        ran: 2026-11-24, LemonLDAP::NG 2.16.1: sign-in, roles, sign-out
        source: https://lemonldap-ng.org/documentation/latest/authopenidconnect.html
        note: `--url` is its portal. Debian 12's version sends a nonce, but no PKCE.
        note: On Debian the command is in /usr/share/lemonldap-ng/bin. Back up the configuration first: lemonldap-ng-cli save
        note: To check a realm role in a rule, use the list $roles: grep { $_ eq "editor" } @{$roles}
        file: portico.json
        | {
        |   "authentication": "OpenIDConnect",
        |   "userDB": "Same",
        |   "oidcOPMetaDataJSON": {
        |     "portico": "{\"issuer\": \"{issuer}\", \"authorization_endpoint\": \"{authorization_endpoint}\", \"token_endpoint\": \"{token_endpoint}\", \"userinfo_endpoint\": \"{userinfo_endpoint}\", \"jwks_uri\": \"{jwks_uri}\", \"end_session_endpoint\": \"{end_session_endpoint}\"}"
        |   },
        |   "oidcOPMetaDataOptions": {
        |     "portico": {
        |       "oidcOPMetaDataOptionsDisplayName": "Portico",
        |       "oidcOPMetaDataOptionsConfigurationURI": "{discovery}",
        |       "oidcOPMetaDataOptionsClientID": "{client_id}",
        |       "oidcOPMetaDataOptionsClientSecret": "{client_secret}",
        |       "oidcOPMetaDataOptionsTokenEndpointAuthMethod": "client_secret_basic",
        |       "oidcOPMetaDataOptionsScope": "openid profile email groups",
        |       "oidcOPMetaDataOptionsCheckJWTSignature": 1,
        |       "oidcOPMetaDataOptionsJWKSTimeout": 3600,
        |       "oidcOPMetaDataOptionsStoreIDToken": 1,
        |       "oidcOPMetaDataOptionsUseNonce": 1
        |     }
        |   },
        |   "oidcOPMetaDataExportedVars": {
        |     "portico": {
        |       "uid": "preferred_username",
        |       "cn": "name",
        |       "mail": "email",
        |       "roles": "groups"
        |     }
        |   }
        | }
        file: Terminal
        | lemonldap-ng-cli merge portico.json

        = minio
        title: MinIO
        url: https://minio.example.com
        options: --template web --redirect-uri {url}/oauth_callback --claim policy=attribute:policy[]
        works: Temporary credentials by ID Token or access token (STS), with the policies in the person's attribute.
        ran: 2026-11-22, MinIO with a role policy: STS by ID Token and by access token
        source: https://min.io/docs/minio/linux/reference/minio-server/settings/iam/openid.html
        note: Permissions come from an attribute: portico user update ann --attribute policy=readwrite
        note: Newer builds of its console have no OpenID sign-in.
        file: /etc/default/minio
        | MINIO_IDENTITY_OPENID_CONFIG_URL="{discovery}"
        | MINIO_IDENTITY_OPENID_CLIENT_ID="{client_id}"
        | MINIO_IDENTITY_OPENID_CLIENT_SECRET="{client_secret}"
        | MINIO_IDENTITY_OPENID_CLAIM_NAME="policy"
        | MINIO_IDENTITY_OPENID_SCOPES="openid,profile,email"
        | MINIO_IDENTITY_OPENID_REDIRECT_URI="{redirect_uri}"
        | MINIO_IDENTITY_OPENID_DISPLAY_NAME="Portico"

        = mod_auth_openidc
        title: Apache with mod_auth_openidc
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/oidc/callback --post-logout-redirect-uri {url}/ --optional-scope groups
        works: Sign-in, refresh, UserInfo, sign-out, roles by Require.
        ran: before every release, mod_auth_openidc of Debian (scripts/peers apache)
        source: https://github.com/OpenIDC/mod_auth_openidc/blob/master/auth_openidc.conf
        note: The redirect is handled by the module and must not be a page. Sign-out: /oidc/callback?logout=URL, with the URL of the page that follows.
        file: the virtual host
        | OIDCProviderMetadataURL {discovery}
        | OIDCClientID {client_id}
        | OIDCClientSecret {client_secret}
        | OIDCRedirectURI {redirect_uri}
        | OIDCCryptoPassphrase {random}
        | OIDCScope "openid profile email groups"
        | OIDCPKCEMethod S256
        | OIDCRemoteUserClaim preferred_username
        |
        | <Location />
        |     AuthType openid-connect
        |     Require valid-user
        |     # Only people with a role of the realm: Require claim groups:editor
        | </Location>

        = mod_oauth2
        title: Apache with mod_oauth2
        url: https://api.example.com
        options: --template service --audience {client_id}
        works: An API that accepts access tokens. It checks each with Portico, so tokens of an ended session are refused. Roles by Require.
        ran: 2026-11-24, Apache with mod_oauth2 3.3.1: access tokens, roles, revocation
        source: https://github.com/OpenIDC/mod_oauth2/blob/master/oauth2.conf
        note: Each client that calls the API: portico client update APP --audience {client_id} --optional-scope groups, and request the scope groups if roles matter.
        note: The API gets the claims in headers such as OAUTH2_CLAIM_sub and OAUTH2_CLAIM_username, and in environment variables of the same names. REMOTE_USER is sub.
        note: It caches responses for the number of seconds in expiry. For that long, a token still works after its session ends.
        file: the virtual host
        | <Location />
        |     AuthType oauth2
        |     OAuth2TokenVerify introspect {token_endpoint}/introspect introspect.auth=client_secret_basic&client_id={client_id}&client_secret={client_secret}&expiry=5
        |     Require valid-user
        |     # Only people with a role of the realm: Require oauth2_claim groups:editor
        | </Location>

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

        = nextauth
        title: Auth.js and NextAuth.js, provider Keycloak
        url: https://app.example.com
        options: --template web --redirect-uri {url}/api/auth/callback/keycloak
        works: Sign-in. Use the provider keycloak: Portico has the same paths.
        ran: 2026-11-22, next-auth 5.0.0-beta.30 and 4.24.15 on Next.js 16, Auth.js core 0.41.3: sign-in
        source: https://authjs.dev/getting-started/providers/keycloak
        source: https://next-auth.js.org/providers/keycloak
        file: .env.local, for version 5
        | AUTH_URL={url}
        | AUTH_SECRET={random}
        | AUTH_KEYCLOAK_ID={client_id}
        | AUTH_KEYCLOAK_SECRET={client_secret}
        | AUTH_KEYCLOAK_ISSUER={issuer}
        file: auth.ts, for version 5
        | import NextAuth from 'next-auth';
        | import Keycloak from 'next-auth/providers/keycloak';
        |
        | export const { handlers, auth, signIn, signOut } = NextAuth({ providers: [Keycloak] });
        file: pages/api/auth/[...nextauth].js, for version 4, with NEXTAUTH_URL and NEXTAUTH_SECRET for the first two lines above
        | import NextAuth from 'next-auth';
        | import KeycloakProvider from 'next-auth/providers/keycloak';
        |
        | export default NextAuth({
        |   providers: [
        |     KeycloakProvider({
        |       clientId: process.env.AUTH_KEYCLOAK_ID,
        |       clientSecret: process.env.AUTH_KEYCLOAK_SECRET,
        |       issuer: process.env.AUTH_KEYCLOAK_ISSUER,
        |     }),
        |   ],
        | });

        = nginx
        title: nginx, by auth_request and oauth2-proxy
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/oauth2/callback --post-logout-redirect-uri {url}/ --optional-scope groups
        works: Only signed-in people reach the services behind nginx; the service gets their name in a header.
        ran: 2026-11-22, nginx with oauth2-proxy: sign-in, auth_request
        source: https://oauth2-proxy.github.io/oauth2-proxy/configuration/integration/
        source: https://nginx.org/en/docs/http/ngx_http_oidc_module.html
        note: You can do this without oauth2-proxy: Portico's backend supports auth_request itself, see nginx.md.
        note: NGINX Plus has its own client, ngx_http_oidc_module, with the redirect /oidc_callback. It was not tested.
        file: /etc/oauth2-proxy.cfg
        | http_address = "127.0.0.1:4180"
        | reverse_proxy = true
        | provider = "oidc"
        | provider_display_name = "Portico"
        | oidc_issuer_url = "{issuer}"
        | client_id = "{client_id}"
        | client_secret = "{client_secret}"
        | redirect_url = "{redirect_uri}"
        | code_challenge_method = "S256"
        | scope = "openid profile email groups"
        | email_domains = ["*"]
        | cookie_secret = "{random}"
        | set_xauthrequest = true
        file: the server of nginx
        | location /oauth2/ {
        |     proxy_pass http://127.0.0.1:4180;
        |     proxy_set_header Host $host;
        |     proxy_set_header X-Real-IP $remote_addr;
        |     proxy_set_header X-Forwarded-Proto $scheme;
        |     proxy_set_header X-Auth-Request-Redirect $request_uri;
        | }
        | location = /oauth2/auth {
        |     internal;
        |     proxy_pass http://127.0.0.1:4180;
        |     proxy_set_header Host $host;
        |     proxy_set_header X-Real-IP $remote_addr;
        |     proxy_set_header X-Forwarded-Proto $scheme;
        |     proxy_set_header X-Forwarded-Uri $request_uri;
        |     proxy_set_header Content-Length "";
        |     proxy_pass_request_body off;
        | }
        | location / {
        |     auth_request /oauth2/auth;
        |     error_page 401 =403 /oauth2/sign_in;
        |     auth_request_set $user $upstream_http_x_auth_request_preferred_username;
        |     proxy_set_header X-User $user;
        |     proxy_pass http://127.0.0.1:3000;
        | }

        = oauth2-proxy
        title: oauth2-proxy, provider oidc
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/oauth2/callback --post-logout-redirect-uri {url}/ --optional-scope groups
        works: Sign-in, roles of the realm and of clients, cookie refresh, sign-out. If the session at Portico ends, so does the cookie's at the next refresh.
        ran: 2026-11-22, oauth2-proxy, oidc and keycloak-oidc: allowed groups and roles, 403 for others, refresh, five at once on one cookie, --backend-logout-url, end of session
        source: https://oauth2-proxy.github.io/oauth2-proxy/configuration/providers/openid_connect
        source: https://oauth2-proxy.github.io/oauth2-proxy/configuration/overview
        note: To admit only people with a realm role: allowed_groups = ["editor"]
        note: People need a confirmed email address; insecure_oidc_allow_unverified_email = true admits the others.
        file: oauth2-proxy.cfg
        | provider = "oidc"
        | provider_display_name = "Portico"
        | oidc_issuer_url = "{issuer}"
        | client_id = "{client_id}"
        | client_secret = "{client_secret}"
        | redirect_url = "{redirect_uri}"
        | code_challenge_method = "S256"
        | scope = "openid profile email groups"
        | oidc_groups_claim = "groups"
        | backend_logout_url = "{end_session_endpoint}?id_token_hint={id_token}"
        | email_domains = ["*"]
        | cookie_secret = "{random}"
        | cookie_refresh = "4m"
        | upstreams = ["http://127.0.0.1:3000/"]

        = oidc-agent
        title: oidc-agent
        standard-url: http://localhost:4242
        options: --template native --development --redirect-uri {url}/
        works: Sign-in by browser without a secret, oidc-token, refresh (also after a restart of the agent), revocation.
        ran: 2026-11-24, oidc-agent 4.2.6: sign-in, refresh, restart, revocation
        source: https://indigo-dc.gitbook.io/oidc-agent/user/oidc-gen
        note: It accepts only the host localhost, so the client has the development switch. Its device flow and dynamic registration do not work with Portico.
        note: A refresh token works once. The agent saves the next one only if it can read its file's password: with --pw-file, --pw-cmd or --pw-gpg. Otherwise people sign in again each time it starts.
        note: To revoke its tokens: oidc-gen --delete portico
        file: Terminal
        | eval "$(oidc-agent)"
        | (umask 077 && echo '{random}' > "$HOME/.oidc-agent-portico")
        | oidc-gen --manual \
        |   --flow=code \
        |   --issuer={issuer} \
        |   --client-id={client_id} \
        |   --client-secret='' \
        |   --redirect-uri={redirect_uri} \
        |   --scope="openid profile email offline_access" \
        |   --pw-file="$HOME/.oidc-agent-portico" \
        |   portico
        file: Terminal, from the second time on
        | eval "$(oidc-agent)"
        | oidc-add --pw-file="$HOME/.oidc-agent-portico" portico

        = oidc-client-ts
        title: oidc-client-ts, and react-oidc-context
        url: https://app.example.com
        options: --template spa --redirect-uri {url}/callback --post-logout-redirect-uri {url}/ --web-origin {origin}
        works: Sign-in by redirect and popup, refresh, revocation, sign-out.
        ran: 2026-11-22, oidc-client-ts 3.5.0 and react-oidc-context 3.3.1: redirect, popup, refresh, revocation, sign-out
        source: https://authts.github.io/oidc-client-ts/interfaces/UserManagerSettings.html
        note: Silent sign-in in an iframe of an app on another site fails with login_required, because the cookies are not sent. Use refresh tokens.
        file: auth.ts
        | import { UserManager } from 'oidc-client-ts';
        |
        | export const userManager = new UserManager({
        |   authority: '{issuer}',
        |   client_id: '{client_id}',
        |   redirect_uri: '{redirect_uri}',
        |   post_logout_redirect_uri: '{post_logout_redirect_uri}',
        |   scope: 'openid profile email',
        | });

        = omniauth
        title: OmniAuth, omniauth_openid_connect
        url: https://app.example.com
        options: --template web --redirect-uri {url}/auth/openid_connect/callback --post-logout-redirect-uri {url}/
        works: Sign-in, sign-out from Portico too, after a confirmation. It sends a nonce, and PKCE in versions that support it.
        ran: 2026-11-24, OmniAuth 0.10.0 on Rails 6.1.7.10: sign-in, sign-out that is confirmed here
        source: https://github.com/omniauth/omniauth_openid_connect
        note: Versions from 0.5 support PKCE: add pkce: true. GitLab's fork, which Debian has, does not.
        note: A sign-in starts with a POST to /auth/openid_connect: use a button, and the gem omniauth-rails_csrf_protection.
        note: Sign-out: /auth/openid_connect/logout. It names neither the client nor the person, so Portico asks for confirmation and people stay on its page.
        file: config/initializers/omniauth.rb
        | Rails.application.config.middleware.use OmniAuth::Builder do
        |   provider :openid_connect, {
        |     name: :openid_connect,
        |     issuer: "{issuer}",
        |     discovery: true,
        |     scope: [:openid, :profile, :email],
        |     response_type: :code,
        |     client_options: {
        |       identifier: "{client_id}",
        |       secret: "{client_secret}",
        |       redirect_uri: "{redirect_uri}"
        |     },
        |     post_logout_redirect_uri: "{post_logout_redirect_uri}"
        |   }
        | end

        = openid-client
        title: openid-client for Node.js
        url: https://app.example.com
        options: --template web --redirect-uri {url}/callback --post-logout-redirect-uri {url}/
        works: Code flow with PKCE, pushed requests, all client authentication methods, refresh, revocation, introspection, form_post, sign-out.
        ran: 2026-11-22, openid-client 6.8.9 on Node.js: all of it
        source: https://github.com/panva/openid-client
        file: auth.js
        | import * as client from 'openid-client';
        |
        | const config = await client.discovery(new URL('{issuer}'), '{client_id}', '{client_secret}');
        |
        | const codeVerifier = client.randomPKCECodeVerifier();
        | const state = client.randomState();
        | const signIn = client.buildAuthorizationUrl(config, {
        |   redirect_uri: '{redirect_uri}',
        |   scope: 'openid profile email',
        |   code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        |   code_challenge_method: 'S256',
        |   state,
        | });
        |
        | // At {redirect_uri}, with the address that was asked for:
        | const tokens = await client.authorizationCodeGrant(config, currentUrl, {
        |   pkceCodeVerifier: codeVerifier,
        |   expectedState: state,
        | });

        = python-keycloak
        title: python-keycloak, KeycloakOpenID
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/callback
        works: Sign-in, UserInfo, introspection, refresh, tokens verified with Portico's keys, sign-out with the refresh token.
        ran: 2026-11-24, python-keycloak 7.1.1: sign-in, UserInfo, introspection, refresh, client credentials, sign-out
        source: https://python-keycloak.readthedocs.io/en/latest/modules/openid_client.html
        note: For the app's own tokens, without a person: portico client update {client_id} --grant-type authorization_code --grant-type refresh_token --grant-type client_credentials
        note: public_key() and KeycloakAdmin do not work with Portico: they need Keycloak's own endpoints. decode_token finds the keys itself.
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

        = spring
        title: Spring Boot, oauth2-client
        url: https://app.example.com
        options: --template web --redirect-uri {url}/login/oauth2/code/portico --post-logout-redirect-uri {url}/
        works: Sign-in, OidcUser with roles, refresh, sign-out by OidcClientInitiatedLogoutSuccessHandler, back-channel logout.
        ran: 2026-11-22, Spring Boot 3.5 and 4.0 with RS256: sign-in, roles, refresh, sign-out, back-channel logout
        source: https://docs.spring.io/spring-boot/reference/web/spring-security.html#web.security.oauth2.client
        source: https://docs.spring.io/spring-security/reference/servlet/oauth2/login/logout.html
        note: Spring Boot 3.5 sends a nonce, 4.0 PKCE as well. After sign-out: setPostLogoutRedirectUri("{baseUrl}/").
        note: If the app uses oidcLogout with back channel: portico client update {client_id} --backchannel-logout-uri {url}/logout/connect/back-channel/portico
        file: application.yml
        | spring:
        |   security:
        |     oauth2:
        |       client:
        |         registration:
        |           portico:
        |             client-id: "{client_id}"
        |             client-secret: "{client_secret}"
        |             scope: openid,profile,email
        |         provider:
        |           portico:
        |             issuer-uri: {issuer}
        |             user-name-attribute: preferred_username

        = spring-resource-server
        title: Spring Boot, oauth2-resource-server
        url: https://api.example.com
        options: --template service --access-token-type JWT --audience {client_id}
        works: An API that accepts access tokens. With issuer-uri alone, Spring accepts only the header typ JWT.
        ran: 2026-11-22, Spring Boot 3.5 and 4.0 with the JwtDecoder below: takes access tokens, refuses ID Tokens
        source: https://docs.spring.io/spring-security/reference/servlet/oauth2/resource-server/jwt.html
        note: You have two options. Either set the tokens' type to JWT: portico client update APP --access-token-type JWT --audience {client_id}, for each client that calls the API, or for all of them: portico realm update {realm} --access-token-type JWT
        note: Or keep at+jwt (RFC 9068) and use the JwtDecoder in the API. Its clientId is the calling client, which Spring requires.
        note: Spring's documentation once calls the method validateTypes; its name is validateType.
        file: application.yml
        | spring:
        |   security:
        |     oauth2:
        |       resourceserver:
        |         jwt:
        |           issuer-uri: {issuer}
        |           audiences: "{client_id}"
        file: Terminal, a token to try it with
        | curl -s -u {client_id}:{client_secret} -d grant_type=client_credentials {token_endpoint}
        file: SecurityConfiguration.java, for tokens with at+jwt
        | @Bean
        | JwtDecoder jwtDecoder() {
        |     NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation("{issuer}")
        |         .validateType(false)
        |         .build();
        |     decoder.setJwtValidator(
        |         JwtValidators.createAtJwtValidator()
        |             .issuer("{issuer}")
        |             .audience("{client_id}")
        |             .clientId("APP")
        |             .build()
        |     );
        |     return decoder;
        | }

        = step-ca
        title: step-ca, a provisioner OIDC
        standard-url: http://127.0.0.1:10000
        options: --template web --redirect-uri {url}
        works: Certificates for signed-in people.
        ran: 2026-11-22, step and step-ca: step oauth, a certificate issued by sign-in
        source: https://smallstep.com/docs/step-ca/provisioners/#oauthoidc-single-sign-on
        note: Any port works on a loopback address: step chooses one if --listen-address does not.
        file: Terminal
        | step ca provisioner add portico --type OIDC \
        |   --client-id={client_id} \
        |   --client-secret={client_secret} \
        |   --configuration-endpoint {discovery} \
        |   --listen-address {authority} \
        |   --domain example.com

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

        = synapse
        title: Matrix Synapse
        url: https://matrix.example.com
        options: --template web --pkce --redirect-uri {url}/_synapse/client/oidc/callback --backchannel-logout-uri {url}/_synapse/client/oidc/backchannel_logout --backchannel-logout-session
        works: Sign-in, UserInfo; a back-channel logout ends its access tokens.
        ran: 2026-11-24, Matrix Synapse 1.163.2: sign-in with PKCE, UserInfo, back-channel logout ends its access tokens, roles by the scope groups
        source: https://element-hq.github.io/synapse/latest/openid.html
        note: To admit people by role: add --optional-scope groups to the client, the scope groups to Synapse, and after it attribute_requirements: [{attribute: groups, value: ROLE}]
        file: Terminal
        | pip install "matrix-synapse[oidc]"
        file: homeserver.yaml
        | public_baseurl: "{url}/"
        | oidc_providers:
        | - idp_id: portico
        |   idp_name: Portico
        |   issuer: "{issuer}"
        |   client_id: "{client_id}"
        |   client_secret: "{client_secret}"
        |   scopes: ["openid", "profile", "email"]
        |   backchannel_logout_enabled: true
        |   user_mapping_provider:
        |     config:
        |       localpart_template: "{{ user.preferred_username }}"
        |       display_name_template: "{{ user.name }}"
        |       email_template: "{{ user.email }}"
        """#
}

extension ProductList {
    /// What signs people in before an app.
    static let proxies = #"""
        = apisix
        title: Apache APISIX, plugin openid-connect
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/callback --access-token-algorithm RS256
        works: Sign-in before a route, by lua-resty-openidc. Kong's plugin of that kind has the same settings.
        source: https://apisix.apache.org/docs/apisix/plugins/openid-connect/
        note: The plugin checks access tokens with RSA keys only, hence the algorithm.
        file: a route
        | {
        |   "uri": "/*",
        |   "plugins": {
        |     "openid-connect": {
        |       "client_id": "{client_id}",
        |       "client_secret": "{client_secret}",
        |       "discovery": "{discovery}",
        |       "redirect_uri": "{redirect_uri}",
        |       "scope": "openid profile email",
        |       "use_pkce": true,
        |       "session": { "secret": "{random}" }
        |     }
        |   },
        |   "upstream": { "type": "roundrobin", "nodes": { "127.0.0.1:3000": 1 } }
        | }

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

        = traefik
        title: Traefik, by traefik-forward-auth
        url: https://app.example.com
        options: --template web --no-pkce --redirect-uri {url}/_oauth
        works: Only signed-in people reach a router of Traefik's.
        source: https://github.com/thomseddon/traefik-forward-auth
        note: It sends neither PKCE nor a nonce, hence --no-pkce. oauth2-proxy does, and can stand behind Traefik as well.
        file: traefik-forward-auth.env
        | DEFAULT_PROVIDER=oidc
        | PROVIDERS_OIDC_ISSUER_URL={issuer}
        | PROVIDERS_OIDC_CLIENT_ID={client_id}
        | PROVIDERS_OIDC_CLIENT_SECRET={client_secret}
        | SECRET={random}
        file: labels of the service
        | traefik.http.middlewares.sign-in.forwardauth.address=http://traefik-forward-auth:4181
        | traefik.http.middlewares.sign-in.forwardauth.authResponseHeaders=X-Forwarded-User
        """#
}

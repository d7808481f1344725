extension ProductList {
    /// Servers that are set up, not written.
    static let services = #"""
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

        = vault
        title: HashiCorp Vault, and OpenBao, auth method oidc
        url: https://vault.example.com
        options: --template web --development --redirect-uri {url}/ui/vault/auth/oidc/oidc/callback --redirect-uri http://localhost:8250/oidc/callback --optional-scope groups
        works: Sign-in in the browser and by vault login -method=oidc, policies by groups.
        source: https://developer.hashicorp.com/vault/docs/auth/jwt
        note: The command line waits at localhost, hence --development; leave that redirect out where only the browser is used.
        file: Terminal
        | vault auth enable oidc
        | vault write auth/oidc/config oidc_discovery_url="{issuer}" oidc_client_id="{client_id}" oidc_client_secret="{client_secret}" default_role="people"
        | vault write auth/oidc/role/people user_claim="sub" groups_claim="groups" oidc_scopes="profile,groups" allowed_redirect_uris="{redirect_uri}" allowed_redirect_uris="http://localhost:8250/oidc/callback" token_policies="default"
        """#
}

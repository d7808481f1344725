extension ProductList {
    /// Frameworks and libraries for a web app or an API in other languages.
    static let frameworks = #"""
        = api
        title: An API that verifies access tokens itself
        url: https://api.example.com
        options: --template service --audience {client_id}
        works: What to check: issuer, audience, typ and signature. Roles are in realm_access.roles and resource_access, with the scope roles.
        source: https://pyjwt.readthedocs.io/en/stable/usage.html
        source: https://github.com/panva/jose/blob/main/docs/jwt/verify/functions/jwtVerify.md
        source: https://github.com/MicahParks/keyfunc
        note: Each client that calls the API names it as an audience: portico client update APP --audience {client_id}
        note: Tokens have the header typ at+jwt (RFC 9068) and are signed with ES256, unless the client says otherwise: portico client update APP --access-token-type JWT --access-token-algorithm RS256
        note: A realm has keys of several kinds: choose by kid, as these libraries do. python-jose stops at the first key of another kind, and code that wants one public key (lua-resty-openidc, APISIX) needs RS256 as above.
        note: An API may ask at the introspection endpoint instead; it is told only of tokens that name it in aud.
        file: Terminal, a token to try it with
        | curl -s -u {client_id}:{client_secret} -d grant_type=client_credentials {token_endpoint}
        file: Python, PyJWT
        | import jwt
        |
        | keys = jwt.PyJWKClient("{jwks_uri}")
        |
        | def claims(token):
        |     return jwt.decode(
        |         token,
        |         keys.get_signing_key_from_jwt(token).key,
        |         algorithms=["ES256", "RS256"],
        |         issuer="{issuer}",
        |         audience="{client_id}",
        |     )
        file: TypeScript, jose
        | import { createRemoteJWKSet, jwtVerify } from 'jose';
        |
        | const keys = createRemoteJWKSet(new URL('{jwks_uri}'));
        |
        | export const claims = async (token: string) =>
        |   (await jwtVerify(token, keys, { issuer: '{issuer}', audience: '{client_id}', typ: 'at+jwt' })).payload;
        file: Go, golang-jwt with keyfunc
        | keys, err := keyfunc.NewDefault([]string{"{jwks_uri}"})
        | token, err := jwt.Parse(text, keys.Keyfunc,
        |     jwt.WithIssuer("{issuer}"),
        |     jwt.WithAudience("{client_id}"),
        |     jwt.WithValidMethods([]string{"ES256", "RS256"}))

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

        = php
        title: PHP, jumbojett/openid-connect-php
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/callback.php --post-logout-redirect-uri {url}/
        works: Sign-in with PKCE and a nonce, UserInfo, sign-out.
        source: https://github.com/jumbojett/OpenID-Connect-PHP
        file: Terminal
        | composer require jumbojett/openid-connect-php
        file: callback.php
        | <?php
        | require 'vendor/autoload.php';
        |
        | $oidc = new Jumbojett\OpenIDConnectClient('{issuer}', '{client_id}', '{client_secret}');
        | $oidc->setRedirectURL('{redirect_uri}');
        | $oidc->setCodeChallengeMethod('S256');
        | $oidc->addScope(['openid', 'profile', 'email']);
        | $oidc->authenticate();
        | $name = $oidc->requestUserInfo('preferred_username');

        = quarkus
        title: Quarkus, extension oidc
        url: https://app.example.com
        options: --template web --pkce --redirect-uri {url}/callback --post-logout-redirect-uri {url}/
        works: Sign-in with PKCE, roles, sign-out. An API takes the same issuer with application-type=service.
        source: https://quarkus.io/guides/security-oidc-code-flow-authentication
        note: Without pkce-required it sends neither PKCE nor a nonce, and is refused.
        file: application.properties
        | quarkus.oidc.auth-server-url={issuer}
        | quarkus.oidc.client-id={client_id}
        | quarkus.oidc.credentials.secret={client_secret}
        | quarkus.oidc.application-type=web-app
        | quarkus.oidc.authentication.pkce-required=true
        | quarkus.oidc.authentication.redirect-path=/callback
        | quarkus.oidc.authentication.scopes=profile,email
        | quarkus.oidc.roles.source=accesstoken
        | quarkus.oidc.roles.role-claim-path=realm_access/roles
        | quarkus.oidc.logout.path=/logout
        | quarkus.oidc.logout.post-logout-path=/

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
        """#
}

extension ProductList {
    /// What runs on a person's device: phones, browsers, terminals.
    static let apps = #"""
        = angular
        title: Angular, angular-auth-oidc-client
        url: https://app.example.com
        options: --template spa --redirect-uri {url} --post-logout-redirect-uri {url} --web-origin {origin}
        works: Sign-in with PKCE, refresh, sign-out. angular-oauth2-oidc needs the same client.
        source: https://angular-auth-oidc-client.com/docs/documentation/configuration
        note: A redirect URI is exact: window.location.origin has no slash at its end.
        file: app.config.ts
        | import { provideAuth } from 'angular-auth-oidc-client';
        |
        | export const appConfig = {
        |   providers: [
        |     provideAuth({
        |       config: {
        |         authority: '{issuer}',
        |         clientId: '{client_id}',
        |         redirectUrl: '{redirect_uri}',
        |         postLogoutRedirectUri: '{post_logout_redirect_uri}',
        |         scope: 'openid profile email',
        |         responseType: 'code',
        |         silentRenew: true,
        |         useRefreshToken: true,
        |       },
        |     }),
        |   ],
        | };

        = appauth-android
        title: AppAuth for Android
        url: com.example.app:/oauth2redirect
        options: --template native --redirect-uri {url} --post-logout-redirect-uri {url}
        works: Sign-in with PKCE through the browser, refresh, sign-out.
        source: https://github.com/openid/AppAuth-Android
        note: The scheme at the start of the URL belongs to your app: one of your domains, reversed.
        note: With offline_access the app stays signed in when the person signs out in the browser. Leave it out if that is to sign them out of the app, too: it stays signed in for 30 days without use either way (staying-signed-in.md). Hand the sign-in on to another app of yours: see login-tokens.md.
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
        |         ).setScope("openid profile email offline_access").build();
        |         startActivityForResult(service.getAuthorizationRequestIntent(request), RC_AUTH);
        |     }
        | );
        file: SignOut.java
        | EndSessionRequest request = new EndSessionRequest.Builder(state.getAuthorizationServiceConfiguration())
        |     .setIdTokenHint(state.getIdToken())
        |     .setPostLogoutRedirectUri(Uri.parse("{post_logout_redirect_uri}"))
        |     .build();
        | startActivityForResult(service.getEndSessionRequestIntent(request), RC_END_SESSION);

        = appauth-ios
        title: AppAuth for iOS and macOS
        url: com.example.app:/oauth2redirect
        options: --template native --redirect-uri {url} --post-logout-redirect-uri {url}
        works: Sign-in with PKCE through the system browser, refresh, sign-out.
        source: https://github.com/openid/AppAuth-iOS
        note: The scheme at the start of the URL belongs to your app: one of your domains, reversed.
        note: With offline_access the app stays signed in when the person signs out in the browser. Leave it out if that is to sign them out of the app, too: it stays signed in for 30 days without use either way (staying-signed-in.md). Hand the sign-in on to another app of yours: see login-tokens.md.
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
        |         scopes: [OIDScopeOpenID, OIDScopeProfile, OIDScopeEmail, "offline_access"],
        |         redirectURL: URL(string: "{redirect_uri}")!,
        |         responseType: OIDResponseTypeCode,
        |         additionalParameters: nil
        |     )
        |     self.flow = OIDAuthState.authState(byPresenting: request, presenting: self) { state, error in
        |         self.state = state
        |     }
        | }
        file: SignOut.swift
        | guard let idToken = state.lastTokenResponse?.idToken else { return }
        | let request = OIDEndSessionRequest(
        |     configuration: state.lastAuthorizationResponse.request.configuration,
        |     idTokenHint: idToken,
        |     postLogoutRedirectURL: URL(string: "{post_logout_redirect_uri}")!,
        |     additionalParameters: nil
        | )
        | if let agent = OIDExternalUserAgentIOS(presenting: self) {
        |     flow = OIDAuthorizationService.present(request, externalUserAgent: agent) { _, error in
        |         self.state = nil
        |     }
        | }

        = expo
        title: Expo, expo-auth-session
        url: com.example.app:/redirect
        options: --template native --redirect-uri {url} --post-logout-redirect-uri {url}
        works: Sign-in with PKCE, refresh, sign-out, in apps built with their own scheme.
        ran: 2026-11-22, expo-auth-session 57.0.7: its requests by themselves, no device was used
        source: https://docs.expo.dev/versions/latest/sdk/auth-session/
        note: An article about Keycloak expects a client of its kind, with an exp:// redirect, roles and email in UserInfo, and sign-out by id_token_hint: see docs/coming-from-an-article.md.
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

        = keycloak-js
        title: keycloak-js, Keycloak's adapter for browsers
        url: https://app.example.com
        options: --template keycloak --redirect-uri {url}/ --redirect-uri {url}/silent-check-sso.html --post-logout-redirect-uri {url}/ --web-origin {origin}
        works: Sign-in with PKCE, silent check, refresh, sign-out, with its defaults in versions 21, 24 and 26.
        source: https://www.keycloak.org/securing-apps/javascript-adapter
        note: It wants a realm as Keycloak makes one, imported or made so: portico realm create NAME --template keycloak
        note: Redirect URIs are exact, and it returns to the page that it was called on unless it is told where: name that page with redirectUri.
        note: A silent check needs the app and Portico on one site, such as app.example.com and id.example.com.
        file: keycloak.js
        | import Keycloak from 'keycloak-js';
        |
        | // The issuer is {issuer}
        | const keycloak = new Keycloak({ url: '{server}', realm: '{realm}', clientId: '{client_id}' });
        | await keycloak.init({
        |   onLoad: 'check-sso',
        |   redirectUri: '{redirect_uri}',
        |   silentCheckSsoRedirectUri: '{url}/silent-check-sso.html',
        | });
        file: silent-check-sso.html
        | <script>parent.postMessage(location.href, location.origin)</script>

        = oidc-agent
        title: oidc-agent
        standard-url: http://localhost:4242
        options: --template native --development --redirect-uri {url}/
        works: Sign-in by browser without a secret, oidc-token, refresh (also after a restart of the agent), revocation.
        ran: 2026-11-24, oidc-agent 4.2.6: sign-in, refresh, restart, revocation
        source: https://indigo-dc.gitbook.io/oidc-agent/user/oidc-gen
        note: It accepts only the host localhost, so the client has the development switch. Its device flow and dynamic registration do not work with Portico.
        note: A refresh token works once. The agent saves the next one only if it can read its file's password: with --pw-file, --pw-cmd or --pw-gpg. Otherwise people sign in again each time it starts.
        note: With offline_access jobs go on after the person signs out in the browser (staying-signed-in.md).
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

        = swift
        title: Portico's own library, in an app for iPhone, iPad or Mac
        url: https://shop.example.com
        options: --template native --redirect-uri {url}/signed-in --redirect-uri {app_scheme}:/signed-in --post-logout-redirect-uri {url}/signed-in --post-logout-redirect-uri {app_scheme}:/signed-in
        works: Sign-in and sign-out in the system's sheet; the session is in the keychain and is renewed.
        source: https://developer.apple.com/documentation/xcode/supporting-associated-domains
        note: From the first line to a real phone, step by step: docs/iphone-from-zero.md.
        note: The scheme is for systems before iOS 17.4 and macOS 14.4. It needs no entry in Info.plist.
        file: SignInView.swift
        | import Portico
        | import SwiftUI
        |
        | let client = SignInClient(
        |     issuer: "{issuer}",
        |     clientID: "{client_id}",
        |     redirect: .https("{redirect_uri}", fallback: .scheme("{app_scheme}:/signed-in")){loopback_options}
        | )
        |
        | struct SignInView: View {
        |     @State private var model = SignInModel(client)
        |     @Environment(\.signIn) private var signIn
        |
        |     var body: some View {
        |         VStack {
        |             switch model.state {
        |             case nil: ProgressView()
        |             case .locked(let problem): Text(problem.description)
        |             case .signedOut:
        |                 Button("Sign in") { Task { await model.signIn(using: signIn.method()) } }
        |             case .signedIn(let session):
        |                 Text(session.user.displayName)
        |                 Button("Sign out") { Task { await model.signOut(using: signIn.method()) } }
        |             }
        |             if let error = model.error { Text(error.description) }
        |         }
        |         .task { await model.restore() }
        |     }
        | }
        file: the app's entitlements
        | <key>com.apple.developer.associated-domains</key>
        | <array><string>webcredentials:{authority}</string></array>
        file: https://{authority}/.well-known/apple-app-site-association, as application/json
        | {"webcredentials": {"apps": ["{team_id}.{bundle_id}"]}}
        file: Info.plist, only while the issuer is http on your own machine
        | <key>NSAppTransportSecurity</key>
        | <dict><key>NSAllowsLocalNetworking</key><true/></dict>
        """#
}

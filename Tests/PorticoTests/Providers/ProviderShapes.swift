import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol

@testable import Portico

// Members that the library does not read are here only where their form is unusual.
extension ProviderShape {
    static let all = [google, entra, entraCommon, okta, auth0, cognito, keycloak]

    /// https://developers.google.com/identity/openid-connect/openid-connect
    static let google = ProviderShape(
        name: "Google",
        issuer: "https://accounts.google.com",
        discovery: "https://accounts.google.com/.well-known/openid-configuration",
        metadata: """
            {"issuer": "https://accounts.google.com",
             "authorization_endpoint": "https://accounts.google.com/o/oauth2/v2/auth",
             "device_authorization_endpoint": "https://oauth2.googleapis.com/device/code",
             "token_endpoint": "https://oauth2.googleapis.com/token",
             "userinfo_endpoint": "https://openidconnect.googleapis.com/v1/userinfo",
             "revocation_endpoint": "https://oauth2.googleapis.com/revoke",
             "jwks_uri": "https://www.googleapis.com/oauth2/v3/certs",
             "response_types_supported": ["code", "token", "id_token", "code id_token", "none"],
             "subject_types_supported": ["public"],
             "id_token_signing_alg_values_supported": ["RS256"],
             "code_challenge_methods_supported": ["plain", "S256"]}
            """,
        clientID: "1234-abc.apps.googleusercontent.com",
        redirect: .scheme("com.googleusercontent.apps.1234-abc:/oauth2redirect"),
        response: [
            ("scope", "email profile openid https://www.googleapis.com/auth/userinfo.email"),
            ("authuser", "0"), ("prompt", "consent"), ("hd", "example.com"),
        ],
        claims: ["azp": "1234-abc.apps.googleusercontent.com"],
        tokenMembers: ["expires_in": 3599, "refresh_token_expires_in": 604_799],
        keyMembers: ["alg": "RS256"],
        rotates: false
    )

    private static func entra(_ issuer: String, _ tenant: String) -> String {
        """
        {"token_endpoint": "https://login.microsoftonline.com/\(tenant)/oauth2/v2.0/token",
         "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt"],
         "jwks_uri": "https://login.microsoftonline.com/\(tenant)/discovery/v2.0/keys",
         "response_modes_supported": ["query", "fragment", "form_post"],
         "subject_types_supported": ["pairwise"],
         "id_token_signing_alg_values_supported": ["RS256"],
         "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
         "scopes_supported": ["openid", "profile", "email", "offline_access"],
         "issuer": "\(issuer)",
         "request_uri_parameter_supported": false,
         "userinfo_endpoint": "https://graph.microsoft.com/oidc/userinfo",
         "authorization_endpoint":
            "https://login.microsoftonline.com/\(tenant)/oauth2/v2.0/authorize",
         "http_logout_supported": true, "frontchannel_logout_supported": true,
         "end_session_endpoint": "https://login.microsoftonline.com/\(tenant)/oauth2/v2.0/logout",
         "tenant_region_scope": null, "cloud_instance_name": "microsoftonline.com"}
        """
    }

    private static let entraTenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"

    /// https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc: it does not announce
    /// PKCE, and its keys name no algorithm.
    static let entra = ProviderShape(
        name: "Entra, one tenant",
        issuer: "https://login.microsoftonline.com/\(entraTenant)/v2.0",
        discovery: "https://login.microsoftonline.com/\(entraTenant)/v2.0"
            + "/.well-known/openid-configuration",
        metadata: entra("https://login.microsoftonline.com/\(entraTenant)/v2.0", entraTenant),
        redirect: .loopback(),
        scopes: [.openid, .profile, .offlineAccess],
        options: {
            var options = SignInClient.Options()
            options.pkceUnannounced = true
            options.parameters = ["domain_hint": "organizations"]
            return options
        }(),
        response: [("session_state", "b0d1-1")],
        claims: ["tid": .string(entraTenant), "ver": "2.0", "nbf": 1, "uti": "x", "rh": "0.A"],
        tokenMembers: ["ext_expires_in": 5000, "expires_in": 4567],
        keyMembers: [
            "x5t": "abc", "x5c": ["MIIC"],
            "issuer": .string("https://login.microsoftonline.com/\(entraTenant)/v2.0"),
        ]
    )

    /// The same for people of any tenant: a template where an issuer should be.
    static let entraCommon = ProviderShape(
        name: "Entra, common",
        issuer: "https://login.microsoftonline.com/common/v2.0",
        discovery: "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
        metadata: entra("https://login.microsoftonline.com/{tenantid}/v2.0", "common"),
        redirect: .https("https://notes.example.com/cb"),
        scopes: [.openid, .profile, .offlineAccess],
        options: {
            var options = SignInClient.Options()
            options.pkceUnannounced = true
            options.tenantIssuers = "https://login.microsoftonline.com/{tenantid}/v2.0"
            return options
        }(),
        response: [("session_state", "b0d1-1")],
        claims: [
            "iss": .string("https://login.microsoftonline.com/\(entraTenant)/v2.0"),
            "tid": .string(entraTenant), "ver": "2.0",
        ],
        tokenMembers: ["ext_expires_in": 5000],
        keyMembers: ["issuer": "https://login.microsoftonline.com/{tenantid}/v2.0"]
    )

    /// https://developer.okta.com/docs/api/openapi/okta-oauth/oauth
    static let okta = ProviderShape(
        name: "Okta",
        issuer: "https://dev-1234.okta.com/oauth2/default",
        discovery: "https://dev-1234.okta.com/oauth2/default/.well-known/openid-configuration",
        metadata: """
            {"issuer": "https://dev-1234.okta.com/oauth2/default",
             "authorization_endpoint": "https://dev-1234.okta.com/oauth2/default/v1/authorize",
             "token_endpoint": "https://dev-1234.okta.com/oauth2/default/v1/token",
             "userinfo_endpoint": "https://dev-1234.okta.com/oauth2/default/v1/userinfo",
             "registration_endpoint": "https://dev-1234.okta.com/oauth2/v1/clients",
             "jwks_uri": "https://dev-1234.okta.com/oauth2/default/v1/keys",
             "response_types_supported": ["code", "id_token", "code id_token", "code token"],
             "response_modes_supported": ["query", "fragment", "form_post", "okta_post_message"],
             "grant_types_supported": ["authorization_code", "refresh_token", "password"],
             "subject_types_supported": ["public"],
             "id_token_signing_alg_values_supported": ["RS256"],
             "scopes_supported": ["openid", "profile", "email", "offline_access", "device_sso"],
             "code_challenge_methods_supported": ["S256"],
             "revocation_endpoint": "https://dev-1234.okta.com/oauth2/default/v1/revoke",
             "end_session_endpoint": "https://dev-1234.okta.com/oauth2/default/v1/logout",
             "request_parameter_supported": true}
            """,
        redirect: .scheme("com.okta.dev-1234:/callback"),
        scopes: [.openid, .profile, .offlineAccess],
        claims: ["amr": ["pwd"], "idp": "00o1", "jti": "ID.1", "ver": 1, "auth_time": 1],
        keyMembers: ["alg": "RS256"]
    )

    /// https://auth0.com/docs/get-started/applications/configure-applications-with-oidc-discovery:
    /// its issuer ends with a slash, and it wants an audience.
    static let auth0 = ProviderShape(
        name: "Auth0",
        issuer: "https://acme.eu.auth0.com/",
        discovery: "https://acme.eu.auth0.com/.well-known/openid-configuration",
        metadata: """
            {"issuer": "https://acme.eu.auth0.com/",
             "authorization_endpoint": "https://acme.eu.auth0.com/authorize",
             "token_endpoint": "https://acme.eu.auth0.com/oauth/token",
             "device_authorization_endpoint": "https://acme.eu.auth0.com/oauth/device/code",
             "userinfo_endpoint": "https://acme.eu.auth0.com/userinfo",
             "mfa_challenge_endpoint": "https://acme.eu.auth0.com/mfa/challenge",
             "jwks_uri": "https://acme.eu.auth0.com/.well-known/jwks.json",
             "revocation_endpoint": "https://acme.eu.auth0.com/oauth/revoke",
             "scopes_supported": ["openid", "profile", "offline_access", "email"],
             "response_types_supported": ["code", "token", "id_token", "code token id_token"],
             "code_challenge_methods_supported": ["S256", "plain"],
             "response_modes_supported": ["query", "fragment", "form_post"],
             "subject_types_supported": ["public"],
             "id_token_signing_alg_values_supported": ["HS256", "RS256", "PS256"],
             "request_uri_parameter_supported": false,
             "end_session_endpoint": "https://acme.eu.auth0.com/oidc/logout"}
            """,
        redirect: .schemeWithAuthority(
            "com.example.notes://acme.eu.auth0.com/ios/com.example.notes/callback"
        ),
        scopes: [.openid, .profile, .offlineAccess],
        options: {
            var options = SignInClient.Options()
            options.parameters = ["audience": "https://api.example.com"]
            return options
        }(),
        claims: ["sid": "s1", "nickname": "ann", "updated_at": "2026-01-01T00:00:00.000Z"],
        tokenMembers: ["expires_in": 86_400],
        keyMembers: ["alg": "RS256", "x5t": "abc", "x5c": ["MIIC"]]
    )

    /// https://docs.aws.amazon.com/cognito/latest/developerguide/federation-endpoints.html: endpoints
    /// at another host than the issuer, no word of PKCE, and no new refresh token.
    static let cognito = ProviderShape(
        name: "Cognito",
        issuer: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Abcdef123",
        discovery: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Abcdef123"
            + "/.well-known/openid-configuration",
        metadata: """
            {"authorization_endpoint":
                "https://notes.auth.eu-west-1.amazoncognito.com/oauth2/authorize",
             "end_session_endpoint": "https://notes.auth.eu-west-1.amazoncognito.com/logout",
             "id_token_signing_alg_values_supported": ["RS256"],
             "issuer": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Abcdef123",
             "jwks_uri": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Abcdef123\
            /.well-known/jwks.json",
             "response_types_supported": ["code", "token"],
             "revocation_endpoint": "https://notes.auth.eu-west-1.amazoncognito.com/oauth2/revoke",
             "scopes_supported": ["openid", "email", "phone", "profile"],
             "subject_types_supported": ["public"],
             "token_endpoint": "https://notes.auth.eu-west-1.amazoncognito.com/oauth2/token",
             "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
             "userinfo_endpoint":
                "https://notes.auth.eu-west-1.amazoncognito.com/oauth2/userInfo"}
            """,
        redirect: .scheme("com.example.notes:/callback"),
        options: {
            var options = SignInClient.Options()
            options.pkceUnannounced = true
            options.parameters = ["identity_provider": "Google"]
            options.roleMapping = .claim("cognito:groups")
            return options
        }(),
        claims: [
            "cognito:groups": ["editors"], "cognito:username": "ann", "token_use": "id",
            "event_id": "e", "origin_jti": "o",
        ],
        keyMembers: ["alg": "RS256"],
        rotates: false
    )

    /// A real Keycloak 26: many algorithms, most of which nothing here knows.
    static let keycloak = ProviderShape(
        name: "Keycloak",
        issuer: "https://id.example.com/realms/shop",
        discovery: "https://id.example.com/realms/shop/.well-known/openid-configuration",
        metadata: """
            {"issuer": "https://id.example.com/realms/shop",
             "authorization_endpoint":
                "https://id.example.com/realms/shop/protocol/openid-connect/auth",
             "token_endpoint": "https://id.example.com/realms/shop/protocol/openid-connect/token",
             "userinfo_endpoint":
                "https://id.example.com/realms/shop/protocol/openid-connect/userinfo",
             "end_session_endpoint":
                "https://id.example.com/realms/shop/protocol/openid-connect/logout",
             "jwks_uri": "https://id.example.com/realms/shop/protocol/openid-connect/certs",
             "response_types_supported": ["code", "none", "id_token", "code id_token token"],
             "subject_types_supported": ["public", "pairwise"],
             "id_token_signing_alg_values_supported":
                ["PS384", "RS384", "EdDSA", "ES384", "HS256", "ES256", "RS256", "ES512", "PS256"],
             "claims_parameter_supported": true,
             "code_challenge_methods_supported": ["plain", "S256"],
             "mtls_endpoint_aliases": {
                "token_endpoint":
                    "https://id.example.com/realms/shop/protocol/openid-connect/token"},
             "revocation_endpoint":
                "https://id.example.com/realms/shop/protocol/openid-connect/revoke",
             "authorization_response_iss_parameter_supported": true}
            """,
        redirect: .scheme("com.example.notes:/callback"),
        response: [("session_state", "2b1f"), ("iss", "https://id.example.com/realms/shop")],
        claims: [
            "typ": "ID", "azp": "notes-app", "session_state": "2b1f", "acr": "1", "sid": "2b1f",
            "realm_access": ["roles": ["editor"]],
        ],
        tokenMembers: [
            "refresh_expires_in": 1800, "not-before-policy": 0, "session_state": "2b1f",
        ],
        keyMembers: ["alg": "RS256", "use": "sig", "x5c": ["MIIC"], "x5t#S256": "abc"]
    )
}

/// A provider whose documents and answers have the shape of a known one's, written by hand after its
/// documentation. It checks what any provider checks: client, redirect URI and PKCE.
final class ShapedProvider: HTTPTransport {
    let shape: ProviderShape
    let clock = StoppedClock()
    private let state = Locked(State())

    private struct State {
        var codes: [String: FormParameters] = [:]
        var requests: [String] = []
        var serial = 0
    }

    /// One RSA key for all of them: making one takes a while.
    private static let key = Result {
        try SigningKey(generating: .rs256, keyID: "shaped", random: .system)
    }

    init(_ shape: ProviderShape) {
        self.shape = shape
    }

    var requests: [String] { state.withLock(\.requests) }

    func client(_ options: SignInClient.Options? = nil) -> SignInClient {
        let clock = clock
        return SignInClient(
            issuer: shape.issuer,
            clientID: shape.clientID,
            redirect: shape.redirect,
            scopes: shape.scopes,
            options: options ?? shape.options,
            storage: .inMemory,
            transport: self,
            now: { clock.now },
            random: .system
        )
    }

    /// The callback of a person who signed in.
    func authorize(_ address: String) throws -> String {
        let query = address.split(separator: "?", maxSplits: 1).last ?? ""
        let form = try FormParameters(decoding: query.utf8)
        let code = state.withLock { state in
            state.serial += 1
            state.codes["code-\(state.serial)"] = form
            return "code-\(state.serial)"
        }
        return FormEncoding.appending(
            [("code", code), ("state", try form.required("state"))] + shape.response,
            to: try form.required("redirect_uri")
        )
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address?.text else { throw .malformed }
        state.withLock { $0.requests.append(address) }
        do {
            switch address {
            case shape.discovery:
                return .text(200, "application/json", Array(shape.metadata.utf8))
            case shape.member("jwks_uri"): return try keys()
            case shape.member("token_endpoint"): return try token(FormParameters(decoding: body))
            default: return .text(404, nil, [])
            }
        } catch {
            throw .unreachable
        }
    }

    private func keys() throws -> HTTPReply {
        var key = try Self.key.get().verificationKey.jwk.object
        key["alg"] = nil
        for (name, value) in shape.keyMembers { key[name] = value }
        return .json(["keys": [.object(key)]])
    }

    private func token(_ form: FormParameters) throws -> HTTPReply {
        guard form["client_id"] == shape.clientID else { return .error(401, "invalid_client") }
        let serial = state.withLock { state in
            state.serial += 1
            return state.serial
        }
        var nonce: String?
        switch form["grant_type"] {
        case "authorization_code":
            let request = state.withLock { $0.codes.removeValue(forKey: form["code"] ?? "") }
            guard let request, request["redirect_uri"] == form["redirect_uri"],
                let challenge = request["code_challenge"].flatMap(CodeChallenge.init),
                let verifier = form["code_verifier"].flatMap(CodeVerifier.init),
                challenge.isMet(by: verifier)
            else { return .error(400, "invalid_grant") }
            nonce = request["nonce"]
        case "refresh_token" where form["refresh_token"]?.hasPrefix("R") == true: break
        default: return .error(400, "invalid_grant")
        }
        return .json(try answer(serial, nonce))
    }

    private func answer(_ serial: Int, _ nonce: String?) throws -> JSONObject {
        let now = NumericDate.seconds(clock.now)
        var claims: JSONObject = [
            "iss": .string(shape.issuer), "sub": "person-1", "aud": .string(shape.clientID),
            "iat": .integer(now), "exp": .integer(now + 3600),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        for (name, value) in shape.claims { claims[name] = value }
        let idToken = try Self.key.get().sign(claims: claims, type: .jwt)
        var tokens: JSONObject = [
            "access_token": .string("A\(serial)"), "token_type": "Bearer", "expires_in": 3600,
            "id_token": .string(idToken), "scope": "openid profile",
        ]
        // The first answer has a refresh token; a later one only where the provider rotates.
        if nonce != nil || shape.rotates { tokens["refresh_token"] = .string("R\(serial)") }
        for (name, value) in shape.tokenMembers { tokens[name] = value }
        return tokens
    }
}

/// What is known of a provider's documents and answers.
struct ProviderShape: Sendable, CustomStringConvertible {
    let name: String
    let issuer: String
    var discovery: String
    let metadata: String
    var clientID = "notes-app"
    var redirect: Redirect
    var scopes: [ScopeToken] = [.openid, .profile, .email]
    var options = SignInClient.Options()
    /// Beside `code` and `state`.
    var response: [(name: String, value: String)] = []
    var claims: [String: JSONValue] = [:]
    var tokenMembers: [String: JSONValue] = [:]
    var keyMembers: [String: JSONValue] = [:]
    var rotates = true

    var description: String { name }

    func member(_ name: String) -> String? {
        // `try?`: what is no JSON has no members, and the test fails.
        let json = try? JSONObject(parsing: Array(metadata.utf8))
        return json?.string(name)
    }
}

package import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// The standard claims about a person (OpenID Connect Core §5.1), each with the scope token that
/// requests it (§5.4).
package enum StandardClaims {
    /// Every claim, for `claims_supported`.
    package static let names = byScope.flatMap(\.claims)

    /// The scope tokens that request claims.
    package static let scopes = byScope.map(\.scope)

    /// The scope tokens of who a person is, and of their address.
    package static let profile = "profile"
    package static let email = "email"

    /// The scope token that requests a claim; `nil` if none does.
    package static func scope(of claim: String) -> String? {
        byScope.first { $0.claims.contains { sameBytes($0, claim) } }?.scope
    }

    /// The claims that a scope token requests.
    package static func claims(of scope: String) -> [String] {
        byScope.first { sameBytes($0.scope, scope) }?.claims ?? []
    }

    private static let byScope: [(scope: String, claims: [String])] = [
        (
            profile,
            [
                "name", "given_name", "family_name", "middle_name", "nickname",
                "preferred_username", "profile", "picture", "website", "gender", "birthdate",
                "zoneinfo", "locale", "updated_at",
            ]
        ),
        (email, ["email", "email_verified"]),
        ("address", ["address"]),
        ("phone", ["phone_number", "phone_number_verified"]),
    ]

    /// Some of ``names``, by position: an authorization code's form of `claims`. Another order
    /// needs another version of the code.
    package struct Selection: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Other names are ignored.
        package init(_ names: [String]) {
            rawValue = names.reduce(0) { bits, name in
                StandardClaims.places[ExactText(name)].map { bits | 1 << $0 } ?? bits
            }
        }

        package var names: [String] {
            StandardClaims.names.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }
                .map(\.element)
        }
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: zip(names.map(ExactText.init), UInt32(0)...)
    )

    package static func isStandard(_ claim: String) -> Bool {
        places[ExactText(claim)] != nil
    }
}

/// The claims that no mapper writes.
package enum ReservedClaims {
    /// - Parameters:
    ///   - claim: The top-level one.
    ///   - kind: What would write it. A few claims have mappers of their own.
    package static func contain(
        _ claim: String,
        in target: ClaimMapper.Target,
        writtenBy kind: ClaimMapper.Kind
    ) -> Bool {
        let claim = ExactText(claim)
        switch (kind, claim.text) {
        // The note of the session, not a text that a person could choose. UserInfo has none.
        case (.note("AUTH_TIME"), "auth_time"): return target == .userInfo
        case (.note("client_id"), "client_id"), (.note("clientId"), "client_id"):
            return target == .userInfo
        default: break
        }
        if kind.traits.isChosenByPerson, rights.contains(claim) { return true }
        return switch target {
        case .tokenResponse: response.contains(claim)
        case .introspection: token.contains(claim) || introspection.contains(claim)
        default: token.contains(claim)
        }
    }

    /// Those that only the server writes into a token (OpenID Connect Core §2, RFC 7519 §4.1).
    package static let token: Set<ExactText> = exact([
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "nonce", "acr", "amr", "auth_time",
        "at_hash", "c_hash", "s_hash", "ds_hash", "sid", "scope", "client_id", "typ", "cnf",
        "session_state",
    ])

    /// RFC 7662 §2.2.
    private static let introspection = exact(["active", "username", "token_type"])

    /// RFC 6749 §5, RFC 8693 §2.2.1, and what clients read besides.
    private static let response = exact([
        "access_token", "token_type", "expires_in", "refresh_token", "refresh_expires_in",
        "id_token", "scope", "session_state", "not-before-policy", "issued_token_type",
        "device_secret", "authorization_details", "error", "error_description", "error_uri",
    ])

    /// Where applications read roles.
    private static let rights = exact(["realm_access", "resource_access"])

    private static func exact(_ names: Set<String>) -> Set<ExactText> {
        Set(names.map(ExactText.init))
    }
}

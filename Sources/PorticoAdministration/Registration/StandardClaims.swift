import PorticoBytes
import PorticoProtocol

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

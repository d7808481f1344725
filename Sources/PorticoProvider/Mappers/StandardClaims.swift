import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The standard claims about a person (OpenID Connect Core §5.1), each with the scope token that
/// requests it (§5.4).
package struct StandardClaims: Sendable {
    let person: Person

    /// Every claim, for `claims_supported`.
    static let names = byScope.flatMap(\.claims)

    /// The scope tokens that request claims.
    static let scopes = byScope.map(\.scope)

    /// The scope tokens of who a person is, and of their address.
    static let profile = "profile"
    static let email = "email"

    /// The scope token that requests a claim; `nil` if none does.
    static func scope(of claim: String) -> String? {
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
    struct Selection: OptionSet, Hashable, Sendable {
        let rawValue: UInt32

        init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Other names are ignored.
        init(_ names: [String]) {
            rawValue = names.reduce(0) { bits, name in
                StandardClaims.places[ExactText(name)].map { bits | 1 << $0 } ?? bits
            }
        }

        var names: [String] {
            StandardClaims.names.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }
                .map(\.element)
        }
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: zip(names.map(ExactText.init), UInt32(0)...)
    )

    static func isStandard(_ claim: String) -> Bool {
        places[ExactText(claim)] != nil
    }

    /// Adds exactly the claims that `scope` requests. A claim without a value is left out (OpenID
    /// Connect Core §5.3.2).
    func add(for scope: Scope, to claims: inout JSONObject) {
        for (token, names) in Self.byScope where scope.contains(token) {
            for name in names { add(name, to: &claims) }
        }
    }

    /// Adds the individual claims that the `claims` parameter requests (§5.5). Claims without a
    /// value, and unknown ones, are left out: that is not an error (§5.5.1).
    func add(_ requested: [ClaimsRequest.Claim], to claims: inout JSONObject) {
        for claim in requested where Self.isStandard(claim.name) {
            add(claim.name, to: &claims)
        }
    }

    private func add(_ name: String, to claims: inout JSONObject) {
        if let value = value(name) { claims[name] = value }
    }

    private func value(_ name: String) -> JSONValue? {
        switch name {
        case "name": .string(person.displayName)
        case "given_name": person.givenName.map(JSONValue.string)
        case "family_name": person.familyName.map(JSONValue.string)
        case "preferred_username": .string(person.username)
        case "updated_at": .integer(person.updatedAt)
        case "email": person.email.map(JSONValue.string)
        case "email_verified": person.email.map { _ in .bool(person.isEmailVerified) }
        case "address": address
        case "phone_number_verified":
            attribute("phone_number").map { _ in
                .bool(attribute("phone_number_verified") == "true")
            }
        default: attribute(name)
        }
    }

    private func attribute(_ name: String) -> JSONValue? {
        let values =
            person.attributes[name] ?? Self.spellings[name].flatMap { person.attributes[$0] }
        guard let value = values?.first, !value.isEmpty else { return nil }
        return .string(value)
    }

    /// How attributes behind some claims are called elsewhere.
    private static let spellings = [
        "middle_name": "middleName", "phone_number": "phoneNumber",
        "phone_number_verified": "phoneNumberVerified",
    ]

    /// OpenID Connect Core §5.1.1.
    private var address: JSONValue? {
        var address = JSONObject()
        for (member, attribute) in [
            ("formatted", "formatted"), ("street_address", "street"), ("locality", "locality"),
            ("region", "region"), ("postal_code", "postal_code"), ("country", "country"),
        ] {
            if let value = self.attribute(attribute) { address[member] = value }
        }
        return address.isEmpty ? nil : .object(address)
    }
}

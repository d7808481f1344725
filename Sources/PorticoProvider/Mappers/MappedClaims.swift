import PorticoProtocol
import PorticoStores

/// The claims that the mappers of a realm and of a client add to a token.
struct MappedClaims: Sendable {
    let mappers: [ClaimMapper]
    let person: PersonWithRoles?
    /// The person's roles, as far as the client sees them.
    let roles: RoleClaims

    /// Adds the mapped claims for one kind of token. A mapper never replaces a claim that the
    /// protocol defines (OpenID Connect Core §2, RFC 7519 §4.1).
    func add(for target: ClaimMapper.Target, to claims: inout JSONObject) {
        for mapper in mappers where mapper.targets.contains(target) {
            guard let (name, value) = claim(mapper.source), !Self.reserved.contains(name) else {
                continue
            }
            claims[name] = value
        }
    }

    /// The audiences that mappers add to the access token.
    var audiences: [String] {
        mappers.compactMap { mapper in
            guard case .audience(let audience) = mapper.source,
                mapper.targets.contains(.accessToken)
            else { return nil }
            return audience
        }
    }

    /// Claims that only the Provider itself writes.
    static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "nonce", "acr", "amr", "auth_time",
        "at_hash", "c_hash", "s_hash", "ds_hash", "sid", "scope", "client_id", "typ", "cnf",
    ]

    private func claim(_ source: ClaimMapper.Source) -> (String, JSONValue)? {
        switch source {
        case .realmRoles(let claim):
            return person.map { _ in (claim, .array(roles.names(of: nil))) }
        case .clientRoles(let clientID, let claim):
            return person.map { _ in (claim, .array(roles.names(of: clientID))) }
        case .attribute(let name, let claim, let isMultivalued):
            guard let values = person?.person.attributes[name], let first = values.first else {
                return nil
            }
            return (claim, isMultivalued ? .array(values.map(JSONValue.string)) : .string(first))
        case .fixed(let claim, let value):
            return (claim, value)
        case .audience:
            return nil
        }
    }
}

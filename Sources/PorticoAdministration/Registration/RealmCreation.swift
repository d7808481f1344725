package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
package import PorticoWeb

/// Creates a realm with its first signing keys, ready for the store; shared by the command line and
/// the import.
package struct RealmCreation: Sendable {
    private let keys: SigningKeyMaker

    package init(ring: KeyRing) {
        keys = SigningKeyMaker(ring: ring)
    }

    /// Every realm can sign with these: ES256 (docs/decisions/0040), and RS256 because every OpenID
    /// Provider must support it (OpenID Connect Discovery 1.0 §3, OpenID Connect Core §15.1).
    package static let firstAlgorithms: Set<SignatureAlgorithm> = [.es256, .rs256]

    /// - Parameters:
    ///   - id: `nil`: a new one.
    ///   - displayName: The name shown on pages; `name` if `nil`.
    ///   - baseURL: The part before `/realms/` in every address, without a query. The issuer is
    ///     made from it once and never changes (docs/decisions/0036).
    ///   - host: An origin for this realm alone, which is its issuer then (docs/decisions/0059).
    ///   - resource: Where the accounts are that it signs in for, if it is a host of the AT Protocol:
    ///     its own host, or another origin.
    ///   - algorithms: What the realm can sign with in addition to ``firstAlgorithms``.
    ///   - imported: Keys that come with it, from the realm's id. None is made for an algorithm that
    ///     one of them signs with.
    package func callAsFunction(
        id: String? = nil,
        name: String,
        displayName: String? = nil,
        baseURL: String,
        host: String? = nil,
        resource: String? = nil,
        algorithms: Set<SignatureAlgorithm> = [],
        importing imported: (_ realmID: String) throws -> [SigningKeyRecord] = { _ in [] },
        at moment: Moment
    ) throws -> NewRealm {
        guard Realm.isName(name) else { throw Refusal.name }
        let displayName = displayName.flatMap { $0.isEmpty ? nil : $0 } ?? name
        guard PlainText.isLine(displayName, length: 200) else { throw Refusal.displayName }
        var realm = Realm(
            id: id ?? UniqueID(random: moment.random).text,
            name: name,
            displayName: displayName,
            issuer: try Self.issuer(of: name, baseURL: baseURL, host: host)
        )
        if let resource {
            realm.profile = .atProtocol(resource: try Self.resource(resource, of: realm))
        }
        realm.defaultClientScopes = StandardScopes.defaults
        realm.optionalClientScopes = StandardScopes.optionals
        let imported = try imported(realm.id)
        let active = SigningKeyRecord.activeAlgorithms(of: imported, at: moment.seconds)
        let first = SignatureAlgorithm.allCases.filter {
            (Self.firstAlgorithms.contains($0) || algorithms.contains($0)) && !active.contains($0)
        }
        let records = try first.map {
            try keys.make($0, realmID: realm.id, activeFrom: moment.seconds, at: moment)
        }
        var new = NewRealm(realm: realm, keys: imported + records)
        new.scopes = StandardScopes.scopes(ofRealm: realm.id, random: moment.random)
        if realm.profile.scopeRule == .atProtocol {
            new.scopes += ATScope.fixed.map { name in
                ClientScope(
                    id: UniqueID(random: moment.random).text,
                    realmID: realm.id,
                    name: name
                )
            }
        }
        return new
    }

    /// `{base}/realms/{name}`, or the realm's own host. Plain http only on this machine.
    package static func issuer(of name: String, baseURL: String, host: String? = nil)
        throws(Refusal) -> String
    {
        if let host { return try issuer(onHost: host, beside: baseURL) }
        let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        do {
            return try Issuer("\(base)/realms/\(name)", allowInsecureLoopback: true).text
        } catch {
            switch error {
            case .insecure: throw .insecureBaseURL
            case .notAnAddress, .hasQuery: throw .baseURL
            }
        }
    }

    /// Cookies and headers are those of one scheme, and the public URL serves everything else.
    private static func issuer(onHost host: String, beside baseURL: String) throws(Refusal)
        -> String
    {
        let own: PublicURL
        let publicURL: PublicURL
        do {
            own = try PublicURL(host)
            publicURL = try PublicURL(baseURL)
        } catch {
            throw .host
        }
        guard own.isSecure == publicURL.isSecure else { throw .hostScheme }
        guard own != publicURL else { throw .hostIsPublicURL }
        return own.origin
    }

    private static func resource(_ origin: String, of realm: Realm) throws(Refusal) -> String {
        guard let host = realm.host else { throw .resource }
        do {
            let resource = try PublicURL(origin)
            if resource.isSecure == host.isSecure { return resource.origin }
        } catch {
            // It says the same.
        }
        throw .resource
    }

    package enum Refusal: Error, CaseIterable, Hashable, Sendable {
        case name
        case displayName
        case baseURL
        case insecureBaseURL
        case host
        case hostScheme
        case hostIsPublicURL
        case resource

        package var field: StaticString {
            switch self {
            case .name: "name"
            case .displayName: "display name"
            case .baseURL, .insecureBaseURL: "public URL"
            case .host, .hostScheme, .hostIsPublicURL: "host"
            case .resource: "resource"
            }
        }

        package var rule: StaticString {
            switch self {
            case .name:
                "A realm's name has 1 to 64 letters, digits, '-', '_' and '.', no '.' first."
            case .displayName: "A display name is one line of at most 200 bytes."
            case .baseURL: "The public URL is an absolute address without query and fragment."
            case .insecureBaseURL:
                "The public URL is https, or http on 127.0.0.1, [::1] or localhost."
            case .host:
                "A realm's own host is https://HOST, in lower case, without a path, in other letters as xn--NAME."
            case .hostScheme:
                "The public URL is https, and the host http, or the other way round: set public-url."
            case .hostIsPublicURL:
                "It is the public URL, which the other realms have. A realm's own host is another."
            case .resource:
                "The accounts of a realm with a host of its own are at https://HOST."
            }
        }
    }
}

extension Realm {
    /// The host that serves this realm alone (docs/decisions/0059): its issuer is that origin, with
    /// nothing behind it. `nil` of all others, whose issuer is below the public URL.
    package var host: PublicURL? {
        // `try?`: an issuer with a path is no origin.
        try? PublicURL(issuer)
    }

    /// What its endpoints are below: the issuer, or the same path on the realm's own host.
    package var base: String {
        host == nil ? issuer : "\(issuer)/realms/\(name)"
    }
}

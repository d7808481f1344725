package import PorticoProtocol

/// An identity provider as it is configured. What it means is PorticoUpstream's business.
package struct ProviderRecord: Hashable, Sendable {
    /// The realm whose people sign in with it.
    package var realmID: String
    /// What routes name it by: lower-case letters, digits, `-`.
    package var name: String
    /// `google`, `facebook`, `apple`, `keycloak` or `oidc`; of a file also another.
    package var kind: String
    /// Where its button stands; lower first.
    package var place: Int64
    package var isEnabled: Bool
    /// Everything else that is no secret: display name, issuer, client id, …
    package var settings: JSONObject
    /// The client secret or private key, sealed at rest.
    package var sealedSecret: String?
    package var source: Source = .registered
    /// Whether only who is led there signs in with it: it has no button.
    package var isHidden = false

    package enum Source: Hashable, Sendable {
        case registered
        /// The realm's file, which says more: it is kept as that is (``RealmPart``).
        ///
        /// - Parameter obstacle: Why no one can sign in with it.
        case file(obstacle: String?)
    }

    /// Why no one can sign in with it, where a realm's file says so.
    package var obstacle: String? {
        if case .file(let obstacle) = source { obstacle } else { nil }
    }

    package var isOfFile: Bool {
        if case .file = source { true } else { false }
    }

    package init(
        realmID: String,
        name: String,
        kind: String,
        place: Int64,
        isEnabled: Bool,
        settings: JSONObject,
        sealedSecret: String?
    ) {
        self.realmID = realmID
        self.name = name
        self.kind = kind
        self.place = place
        self.isEnabled = isEnabled
        self.settings = settings
        self.sealedSecret = sealedSecret
    }
}

/// Identity providers of realms' files, and who reads them.
package struct ProviderFiles: Sendable {
    /// The ``RealmPart/kind`` of such a part.
    let kind: String
    let read: @Sendable (RealmPart) -> ProviderRecord

    package init(kind: String, read: @escaping @Sendable (RealmPart) -> ProviderRecord) {
        self.kind = kind
        self.read = read
    }
}

package struct BackendConfiguration: Hashable, Sendable {
    package let version: Version
    /// The realm whose people sign in at it, and whose clients its apps are; `nil` before the first
    /// provider or app.
    package let realm: Realm?
    /// The clients that hand off, in the order of their `client_id`s.
    package let apps: [Client]
    /// Those of all realms, in the order of places, then names.
    package var allProviders: [ProviderRecord]
    /// What we prove ourselves by at hosts of the AT Protocol, the newest first.
    package var handleKeys: [HandleClientKey]

    /// Those of its realm.
    package var providers: [ProviderRecord] { allProviders.filter { $0.realmID == realm?.id } }

    /// Another one after each change, whichever process made it.
    package struct Version: Hashable, Sendable {
        /// Of providers and our keys.
        package let backend: Int64
        /// Of realms and their clients.
        let realms: Int64
    }
}

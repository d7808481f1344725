import PorticoAdministration
import PorticoBytes
import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// Writes a realm as Keycloak's export does (Keycloak `RealmRepresentation`), a piece at a time:
/// in memory are the realm without its people, and a page of these.
package struct RealmExport: Sendable {
    private let realms: RealmStore
    private let people: PersonStore
    private let ring: KeyRing

    package init(realms: RealmStore, people: PersonStore, ring: KeyRing) {
        self.realms = realms
        self.people = people
        self.ring = ring
    }

    /// What of a realm is written besides its settings, clients, roles and groups.
    package struct Contents: Hashable, Sendable {
        /// People with the hashes of their passwords and the secrets of their second factors.
        package var people: Bool
        /// Private keys, and the secrets of clients and of other providers; else they are left out
        /// or masked, as in Keycloak's partial exports.
        package var secrets: Bool

        package init(people: Bool, secrets: Bool) {
            self.people = people
            self.secrets = secrets
        }
    }

    package struct Summary: Hashable, Sendable {
        package var people = 0
        /// The clients whose secret is kept as a hash only, and masked for that reason.
        package var hashedSecrets: [String] = []
    }

    private static let page = 200

    /// The realm is of one moment, and so is each page of people. Someone who gets another user
    /// name meanwhile may be missing, or be there twice.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - write: Is given the bytes of one line, or of several, in order.
    /// - Returns: `nil` where there is no realm of that id; nothing is written then.
    /// - Throws: what `write` and the stores throw, and where the key ring does not fit.
    package func callAsFunction(
        _ realmID: String,
        _ contents: Contents,
        at now: Int64,
        write: ([UInt8]) throws -> Void
    ) async throws -> Summary? {
        guard let whole = try await realms.whole(id: realmID) else { return nil }
        let secrets = RealmSecrets(ring: ring, areShown: contents.secrets)
        let document = try RealmDocument(whole, secrets: secrets, at: now).json
        var summary = Summary()
        summary.hashedSecrets = whole.clients.compactMap { client in
            if case .hashed? = client.secret { client.clientID } else { nil }
        }
        let before = Set(
            RepresentationMembers.realm.order.prefix { $0 != "users" }.map(ExactText.init)
        )
        var lines = ExportLines()
        for member in document where before.contains(ExactText(member.name)) {
            lines.add(member.name, member.value)
        }
        if contents.people {
            lines.begin("users")
            try write(lines.take())
            let names = UserRepresentation.Names(groups: whole.groups, clients: whole.clients)
            let seal = CredentialSeal(ring: ring)
            var cursor: String?
            while true {
                let page = try await people.whole(
                    realmID: realmID,
                    after: cursor,
                    limit: Self.page
                )
                for new in page { lines.add(try new.exported(names, seal)) }
                try write(lines.take())
                summary.people += page.count
                guard page.count == Self.page, let last = page.last else { break }
                cursor = last.person.username
            }
            lines.end()
        }
        for member in document where !before.contains(ExactText(member.name)) {
            lines.add(member.name, member.value)
        }
        try write(lines.finish())
        return summary
    }
}

extension NewPerson {
    /// With what they prove themselves by.
    func exported(_ names: UserRepresentation.Names, _ seal: CredentialSeal) throws -> JSONObject {
        let password = password.flatMap(CredentialRepresentation.init).map { [$0] } ?? []
        let others = try credentials.map { try CredentialRepresentation($0, seal: seal) }
        return UserRepresentation(self, names, credentials: password + others).json
    }
}

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
            try await people.eachPage(of: realmID) { page in
                for new in page { lines.add(try new.exported(names, seal)) }
                try write(lines.take())
                summary.people += page.count
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

extension PersonStore {
    private static let page = 200

    /// Everyone in a realm, some at a time.
    func eachPage(of realmID: String, _ body: ([NewPerson]) throws -> Void) async throws {
        var cursor: String?
        while true {
            let page = try await whole(realmID: realmID, after: cursor, limit: Self.page)
            try body(page)
            guard page.count == Self.page, let last = page.last else { return }
            cursor = last.person.username
        }
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

/// The text of one object: a line for each member, and for each element of a member that is a list
/// of objects.
struct ExportLines {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var hasMember = false
    private var hasElement = false

    mutating func add(_ name: String, _ value: JSONValue) {
        if let elements = value.array, elements.contains(where: { $0.object != nil }) {
            begin(name)
            for element in elements { add(element) }
            end()
        } else {
            self.name(name)
            bytes += value.serialized()
        }
    }

    /// Begins a member that is a list.
    mutating func begin(_ name: String) {
        self.name(name)
        bytes.append(UInt8(ascii: "["))
        hasElement = false
    }

    mutating func add(_ object: JSONObject) {
        add(.object(object))
    }

    private mutating func add(_ element: JSONValue) {
        bytes += hasElement ? ",\n".utf8 : "\n".utf8
        bytes += element.serialized()
        hasElement = true
    }

    mutating func end() {
        bytes += "\n]".utf8
    }

    /// What was added since the last time.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func finish() -> [UInt8] {
        bytes += "\n}\n".utf8
        return take()
    }

    private mutating func name(_ name: String) {
        bytes += hasMember ? ",\n".utf8 : "\n".utf8
        JSONWriter.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        hasMember = true
    }
}

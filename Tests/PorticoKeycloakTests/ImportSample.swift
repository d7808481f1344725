import PorticoAdministration
import PorticoProvider
import PorticoSeals
import PorticoStores
import Testing

@testable import PorticoKeycloak

/// Realm files with a few things in them. Each realm has keys of its own, which take a while to
/// make: what can be tried side by side is.
enum ImportSample {
    /// - Parameter members: Of the realm, beside its name `r`.
    static func realm(_ members: String, ring: KeyRing? = nil) async throws
        -> ReadRealm
    {
        let imported = try await RealmImportTests.read(
            #"{"realm": "r", "enabled": true, \#(members)}"#,
            ring: ring
        )
        try #require(imported.count == 1)
        return imported[0]
    }

    /// A client each, `a0`, `a1` and so on, with a redirect URI unless it says another one.
    ///
    /// - Parameter each: Members of the client.
    static func clients(_ each: [String], realm: String = "") async throws -> [ImportedClient] {
        let clients = each.enumerated().map { index, members in
            let redirect =
                members.contains("redirectUris")
                ? "" : #""redirectUris": ["https://a.example/cb"], "#
            return #"{"clientId": "a\#(index)", \#(redirect) \#(members)}"#
        }
        let imported = try await self.realm(
            realm + #""clients": [\#(clients.joined(separator: ", "))]"#
        )
        return each.indices.map { index in
            ImportedClient(
                client: imported.realm.clients.first { $0.clientID == "a\(index)" },
                lines: imported.report.lines.filter { $0.subject == "client a\(index)" }
            )
        }
    }

    /// A person each, `p0`, `p1` and so on.
    static func people(_ each: [String], realm: String = "", ring: KeyRing? = nil) async throws
        -> [ImportedPerson]
    {
        let users = each.enumerated().map { #"{"username": "p\#($0)", \#($1)}"# }
        let imported = try await self.realm(
            realm + #""users": [\#(users.joined(separator: ", "))]"#,
            ring: ring
        )
        return each.indices.map { index in
            ImportedPerson(
                new: imported.realm.people.first { $0.person.username == "p\(index)" },
                lines: imported.report.lines.filter { $0.subject == "user p\(index)" }
            )
        }
    }

    /// What became of mappers, each the only one of a client.
    static func mappers(_ each: [(kind: String, config: String)]) async throws -> [ImportedClient] {
        try await clients(
            each.map { kind, config in
                """
                "protocolMappers": [
                    {"name": "m", "protocolMapper": "\(kind)", "config": {\(config)}}
                ]
                """
            }
        )
    }
}

/// A client, where it was imported, and what the report says of it.
struct ImportedClient {
    let client: Client?
    let lines: [ImportReport.Line]

    func says(_ outcome: ImportReport.Outcome, _ words: String) -> Bool {
        lines.contains { $0.outcome == outcome && $0.words.contains(words) }
    }
}

struct ImportedPerson {
    let new: NewPerson?
    let lines: [ImportReport.Line]

    var person: Person? { new?.person }

    func says(_ outcome: ImportReport.Outcome, _ words: String) -> Bool {
        lines.contains { $0.outcome == outcome && $0.words.contains(words) }
    }
}

extension ImportReport {
    func says(_ outcome: Outcome, _ subject: String, _ words: String) -> Bool {
        lines(outcome).contains { $0.subject == subject && $0.words.contains(words) }
    }
}

extension Client {
    /// Whether every realm of a file has one of its name (``BuiltInRealm``).
    var isMade: Bool { Client.builtIn.contains(clientID) || clientID == "master-realm" }
}

extension RoleName {
    /// The same of a role.
    var isMade: Bool {
        guard let clientID else {
            return ["offline_access", "uma_authorization"].contains(name)
                || name.hasPrefix("default-roles-")
        }
        return Client.builtIn.contains(clientID) || clientID == "master-realm"
    }
}

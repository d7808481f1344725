import PorticoBytes
import PorticoStores

/// The sessions that apps have of their own, apart from any browser's, as the pages of a person's account
/// list and end them (docs/decisions/0064).
package struct AppSessions: Sendable {
    let people: PersonStore
    let realms: RealmStore

    /// What an id in a form begins with if it is such a session's.
    private static let prefix = "session-"

    /// One of them, with what its form gives back and the name of its app.
    struct Listed: Sendable {
        let formID: String
        let app: String
        let lastUsedAt: Int64
    }

    /// - Parameter formID: Of any form of these pages; `nil` comes back where it is something else's.
    static func grantID(_ formID: String) -> UniqueID? {
        formID.dropping(prefix).flatMap { UniqueID(String($0)) }
    }

    /// The live ones of a person, each apart, newest first.
    func list(of person: Person, notBefore: Int64, at now: Int64) async throws -> [Listed] {
        let sessions = try await people.appSessions(
            of: person.id,
            realmID: person.realmID,
            notBefore: notBefore,
            at: now
        )
        let names = try await names(Set(sessions.map(\.clientID)), realmID: person.realmID)
        return sessions.compactMap { session in
            names[session.clientID].map { name in
                Listed(
                    formID: Self.prefix + session.grantID.text,
                    app: name,
                    lastUsedAt: session.lastUsedAt
                )
            }
        }
    }

    /// Ends one session of the person, and no one else's.
    ///
    /// - Returns: The `client_id` of its app; `nil`: it is none of theirs.
    func end(_ id: UniqueID, of person: Person, at now: Int64) async throws -> String? {
        try await people.endAppSession(id, of: person.id, realmID: person.realmID, at: now)
    }

    /// What lists of a person's apps call clients, by their ids.
    func names(_ clientIDs: Set<String>, realmID: String) async throws -> [String: String] {
        var names: [String: String] = [:]
        for id in clientIDs {
            names[id] = try await realms.client(id: id, realmID: realmID)?.listedName
        }
        return names
    }
}

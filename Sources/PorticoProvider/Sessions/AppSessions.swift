import PorticoBytes
import PorticoStores
import PorticoWeb

/// The sessions that apps have of their own, apart from any browser's, as the pages of a person's account
/// list and end them (docs/decisions/0064).
struct AppSessions: Sendable {
    let people: PersonStore
    let grants: GrantStore
    let events: SecurityEvents

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
    func list(of person: Person, _ context: RealmContext) async throws -> [Listed] {
        let sessions = try await people.appSessions(
            of: person.id,
            realmID: context.realm.id,
            notBefore: context.realm.notBefore,
            at: context.now
        )
        var listed: [Listed] = []
        for session in sessions {
            let client = try await grants.client(id: session.clientID, in: context.realm)
            guard let client else { continue }
            listed.append(
                Listed(
                    formID: Self.prefix + session.grantID.text,
                    app: client.listedName,
                    lastUsedAt: session.lastUsedAt
                )
            )
        }
        return listed
    }

    /// Ends one session of the person, and no one else's.
    func end(_ id: UniqueID, of person: Person, _ context: RealmContext) async throws {
        let ended = try await people.endAppSession(
            id,
            of: person.id,
            realmID: context.realm.id,
            at: context.now
        )
        guard let ended, let client = try await grants.client(id: ended, in: context.realm) else {
            return
        }
        events.note(.tokenRevoked, context, grant: id, client: client.clientID)
    }
}

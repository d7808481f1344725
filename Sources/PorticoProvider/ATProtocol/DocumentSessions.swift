import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The sessions of clients with a document, as the pages of a person's account list and end them
/// (docs/decisions/0064).
struct DocumentSessions: Sendable {
    let people: PersonStore
    let events: SecurityEvents

    /// What an id in a form begins with if it is such a session's.
    private static let prefix = "session-"

    static func formID(_ session: DocumentSession) -> String { prefix + session.grantID.text }

    /// - Parameter formID: Of any form of these pages; `nil` comes back where it is something else's.
    static func grantID(_ formID: String) -> UniqueID? {
        formID.dropping(prefix).flatMap { UniqueID(String($0)) }
    }

    /// The live ones of a person, each apart, newest first.
    func list(of person: Person, _ context: RealmContext) async throws -> [DocumentSession] {
        guard context.realm.documented != nil else { return [] }
        return try await people.documentSessions(
            of: person.id,
            realmID: context.realm.id,
            at: context.now
        ).filter { $0.createdAt >= context.realm.notBefore }
    }

    /// What the person allowed clients that have none.
    func permissions(of person: Person, _ context: RealmContext) async throws
        -> [DocumentPermission]
    {
        guard context.realm.documented != nil else { return [] }
        return try await people.documentPermissions(
            of: person.id,
            realmID: context.realm.id,
            notBefore: context.realm.notBefore,
            at: context.now
        )
    }

    /// Ends one session of the person, and no one else's.
    ///
    /// - Returns: The name of the app, if the session was there, and whether others of it go on.
    func end(_ id: UniqueID, of person: Person, _ context: RealmContext) async throws
        -> (app: String?, hasOthers: Bool)
    {
        let sessions = try await list(of: person, context)
        let change = try await people.endDocumentSession(
            id,
            of: person.id,
            realmID: context.realm.id,
            at: context.now
        )
        guard change == .changed, let ended = sessions.first(where: { $0.grantID == id }) else {
            return (nil, false)
        }
        events.note(.tokenRevoked, context, grant: id, client: ended.clientID)
        let ofApp = sessions.count { sameBytes($0.clientID, ended.clientID) }
        return (ended.name, ofApp > 1)
    }
}

extension DocumentSession {
    var name: String { documentName(clientID) }
}

extension DocumentPermission {
    var name: String { documentName(clientID) }
}

/// The address of a client's document, without its scheme; of a client for development its host.
private func documentName(_ clientID: String) -> String {
    clientID.dropping("https://").map(String.init) ?? "localhost"
}

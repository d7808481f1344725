import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/users/ID/execute-actions-email` and its relatives: a mail with a link by which a person does
/// what is asked of them.
struct AdminMails: Sendable {
    let administration: RealmAdministration
    let links: ActionLinks

    var rows: [AdminRow] {
        [
            .put("users/{user}/execute-actions-email", .manageUsers) { call in
                try await send(try Self.actions(in: call), "execute actions email", call)
            },
            // Before version 26, and still there.
            .put("users/{user}/reset-password-email", .manageUsers) { call in
                try await send([RequiredAction.updatePassword], "execute actions email", call)
            },
            .put("users/{user}/send-verify-email", .manageUsers) { call in
                try await send([RequiredAction.verifyEmail], "verify email", call)
            },
        ]
    }

    /// In seconds, where a realm says nothing: 12 hours.
    private static let usualLifetime: Int64 = 43_200

    private func send(_ actions: [String], _ mail: StaticString, _ call: AdminCall) async throws
        -> AdminAnswer
    {
        let person = try await call.person(in: administration.people).person
        try await administration.expectChangeable(person, by: call.administrator)
        guard let email = person.email else { throw AdminRefusal.invalid("User email missing") }
        let kept = try await administration.people.credentials(
            id: person.id,
            realmID: call.realmID
        )
        guard person.isEnabled, let kept else { throw AdminRefusal.invalid("User is disabled") }
        let query = try call.query()
        let link = ActionLink(
            person: PersonLink(
                id: call.moment.id(),
                realmID: call.realmID,
                personID: person.id,
                email: email,
                epoch: kept.epoch,
                actions: actions,
                expiresAt: call.moment.seconds &+ (try Self.lifetime(query, call))
            ),
            back: try await back(query, call)
        )
        let outcome = try await links.send(
            link,
            to: person,
            in: call.realm,
            by: call.bearer.person.id,
            at: call.moment
        )
        switch outcome {
        case .sent:
            try await administration.noteMail(to: person, by: call.administrator)
            return .done
        case .sendsNoMail:
            throw AdminRefusal.message(
                .internalServerError,
                "Failed to send \(mail): this server sends no mail."
            )
        case .mustWait:
            throw AdminRefusal.message(
                .tooManyRequests,
                "So many mails were sent to this address. Try again later."
            )
        }
    }

    private static func actions(in call: AdminCall) throws -> [String] {
        let asked = try call.texts()
        let known = ActionLinks.actions.filter { action in
            asked.contains { sameBytes($0, action) }
        }
        guard !asked.isEmpty, known.count == asked.count else {
            throw AdminRefusal.invalid("Provided invalid required actions")
        }
        return known
    }

    /// In seconds.
    private static func lifetime(_ query: FormParameters, _ call: AdminCall) throws -> Int64 {
        guard let text = query["lifespan"] else {
            let usual = call.realm.realm.kept.object.int64("actionTokenGeneratedByAdminLifespan")
            return min(max(usual ?? usualLifetime, 60), ActionLinks.longestLifetime)
        }
        guard let seconds = Int(digits: text.utf8, atMost: 9).map(Int64.init),
            1...ActionLinks.longestLifetime ~= seconds
        else { throw AdminRefusal.invalid("The lifespan is from 1 to 2592000 seconds.") }
        return seconds
    }

    /// Where the person is to go on: an address of the client's.
    private func back(_ query: FormParameters, _ call: AdminCall) async throws -> ActionLink.Back? {
        guard let clientID = query["client_id"] else {
            guard query["redirect_uri"] == nil else {
                throw AdminRefusal.invalid("Client id missing")
            }
            return nil
        }
        guard let client = try await call.realm.client(named: clientID) else {
            throw AdminRefusal.invalid("Client doesn't exist")
        }
        guard client.isEnabled else { throw AdminRefusal.invalid("Client is not enabled") }
        guard let uri = query["redirect_uri"] else { return nil }
        guard links.permits(uri, of: client, in: call.realm) else {
            throw AdminRefusal.invalid("Invalid redirect uri.")
        }
        return ActionLink.Back(clientID: client.clientID, redirectURI: uri)
    }
}

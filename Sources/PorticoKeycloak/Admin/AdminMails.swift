import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `…/users/ID/execute-actions-email` and its relatives: a mail with a link by which a person does
/// what is asked of them.
enum AdminMails {
    static var rows: [AdminRow] {
        [
            .put("users/{user}/execute-actions-email", .manageUsers) { call in
                try await send(try actions(in: call), "execute actions email", call)
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

    private static func send(_ actions: [String], _ mail: StaticString, _ call: AdminCall)
        async throws
    {
        let person = try await call.person()
        try await call.operations.expectChangeable(person, by: call.administrator)
        guard let email = person.email else { throw AdminRefusal.invalid("User email missing") }
        let kept = try await call.people.credentials(id: person.id, realmID: call.realmID)
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
                expiresAt: call.moment.seconds &+ (try lifetime(query, call))
            ),
            back: try await back(query, call)
        )
        let outcome = try await call.operations.mail(
            link,
            to: person,
            in: call.realm,
            of: call.access.server,
            by: call.administrator,
            at: call.moment
        )
        switch outcome {
        case .sent: return
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
        let known = ActionLink.possibleActions.filter { action in
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
            let usual = call.realm.kept.object.int64("actionTokenGeneratedByAdminLifespan")
            return min(max(usual ?? usualLifetime, 60), ActionLink.longestLifetime)
        }
        guard let seconds = Int(digits: text.utf8, atMost: 9).map(Int64.init),
            1...ActionLink.longestLifetime ~= seconds
        else { throw AdminRefusal.invalid("The lifespan is from 1 to 2592000 seconds.") }
        return seconds
    }

    /// Where the person is to go on: an address of the client's.
    private static func back(_ query: FormParameters, _ call: AdminCall) async throws -> ActionLink
        .Back?
    {
        guard let clientID = query["client_id"] else {
            guard query["redirect_uri"] == nil else {
                throw AdminRefusal.invalid("Client id missing")
            }
            return nil
        }
        guard let client = try await call.served.client(named: clientID) else {
            throw AdminRefusal.invalid("Client doesn't exist")
        }
        guard client.isEnabled else { throw AdminRefusal.invalid("Client is not enabled") }
        guard let uri = query["redirect_uri"] else { return nil }
        guard call.access.server.permits(uri, of: client, in: call.realm) else {
            throw AdminRefusal.invalid("Invalid redirect uri.")
        }
        return ActionLink.Back(clientID: client.clientID, redirectURI: uri)
    }
}

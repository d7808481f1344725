package import PorticoAdministration
package import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
package import PorticoStores
import PorticoWeb

/// Sends links that administrators mail to people (``ActionLink``), and reads them when they come back.
package struct ActionLinks: Sendable {
    let mailboxes: PersonMailboxStore
    let people: PersonStore
    let limits: MailLimits
    let ring: KeyRing
    let sendsMail: Bool

    /// Of a redirect URI, in bytes.
    static let longestRedirect = 1000

    /// Whether a link may lead to that address of the client's in the end.
    package func permits(_ redirectURI: String, of client: Client, in realm: LiveRealm) -> Bool {
        redirectURI.utf8.count <= Self.longestRedirect
            && PermittedRedirect(RedirectURI(redirectURI), of: realm.live(client)) != nil
    }

    /// Mails a link to the address that it is for.
    ///
    /// - Parameter sender: The id of the administrator; each sends five mails an hour to a mailbox,
    ///   and all together ten.
    package func send(
        _ link: ActionLink,
        to person: Person,
        in realm: LiveRealm,
        by sender: String,
        at moment: Moment
    ) async throws -> ActionLink.Outcome {
        guard sendsMail else { return .sendsNoMail }
        let address = link.person.email
        let mailbox = "\(realm.id) \(EmailAddress.folded(address) ?? address)"
        // Not by network address: all mails of a script come from one.
        let requester = "administrator \(sender) \(mailbox)"
        let verdict = limits.take(mailbox, for: requester, from: requester, at: moment)
        if case .wait(let seconds) = verdict { return .mustWait(seconds) }
        let mailID = moment.id()
        let vault = SealedAtRest(ring: ring, purpose: "action link")
        let url = realm.urls.actionToken(seal(realm.id).seal(link, at: moment))
        let sealed = vault.seal(Array(url.utf8), for: mailID.text, random: moment.random)
        let language = Language.best(
            uiLocales: person.attributes["locale"]?.first,
            acceptLanguage: nil,
            otherwise: realm.realm.defaultLanguage
        )
        try await mailboxes.send(
            MailDraft(
                id: mailID,
                to: address,
                message: .accountActions(
                    sealedAddress: Base64URL.encode(sealed),
                    until: link.person.expiresAt
                ),
                language: language.tag,
                service: realm.displayName,
                createdAt: moment.seconds
            )
        )
        return .sent
    }

    /// The link of a key, and its person.
    ///
    /// - Returns: `nil` where it is over: by time or use, by a new password, another address, or because
    ///   the person may not sign in.
    func open(_ key: String?, _ context: RealmContext) async throws -> (ActionLink, Person)? {
        guard let link = link(key, context),
            context.now < link.person.expiresAt,
            let kept = try await people.credentials(
                id: link.person.personID,
                realmID: context.realm.id
            ),
            kept.person.isEnabled, kept.epoch == link.person.epoch,
            let email = kept.person.email,
            sameBytes(LoginName.folded(email), LoginName.folded(link.person.email)),
            try await !mailboxes.isSpent(link.person)
        else { return nil }
        return (link, kept.person)
    }

    /// What a key says, whether it is over or not.
    func link(_ key: String?, _ context: RealmContext) -> ActionLink? {
        seal(context.realm.id).open(key, at: context.moment)
    }

    private func seal(_ realmID: String) -> ActionLinkSeal {
        ActionLinkSeal(ring: ring, realmID: realmID)
    }
}

/// The key of a link: everything about it, sealed.
struct ActionLinkSeal: Sendable {
    private let seal: Seal
    private let realmID: String

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "action link", realm: realmID)
        self.realmID = realmID
    }

    func seal(_ link: ActionLink, at moment: Moment) -> String {
        var json: JSONObject = [
            "jti": .string(link.person.id.text), "sub": .string(link.person.personID),
            "email": .string(link.person.email), "epoch": .integer(link.person.epoch),
            "exp": .integer(link.person.expiresAt),
            "actions": .array(link.person.actions.map(JSONValue.string)),
        ]
        if let back = link.back {
            json["client"] = .string(back.clientID)
            json["uri"] = .string(back.redirectURI)
        }
        return seal.seal(json.serialized(), at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if the text is not a seal of this realm, or is older than any link.
    func open(_ text: String?, at moment: Moment) -> ActionLink? {
        let lifetime = Double(ActionLink.longestLifetime)
        // `try?`: every failure leads to the same page.
        guard let text, let bytes = try? seal.open(text, at: moment.now, within: lifetime),
            let json = try? JSONObject(parsing: bytes),
            let id = json.string("jti").flatMap({ UniqueID($0) }),
            let personID = json.string("sub"), let email = json.string("email"),
            let epoch = json.int64("epoch"), let end = json.int64("exp"),
            let actions = json.strings("actions")
        else { return nil }
        var back: ActionLink.Back?
        if let clientID = json.string("client"), let uri = json.string("uri") {
            back = ActionLink.Back(clientID: clientID, redirectURI: uri)
        }
        return ActionLink(
            person: PersonLink(
                id: id,
                realmID: realmID,
                personID: personID,
                email: email,
                epoch: epoch,
                actions: actions,
                expiresAt: end
            ),
            back: back
        )
    }
}

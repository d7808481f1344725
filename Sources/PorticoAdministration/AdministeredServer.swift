package import PorticoBytes
package import PorticoProtocol
package import PorticoStores
package import PorticoWeb

/// The server whose realms are administered while it runs: what the administration needs of it.
package protocol AdministeredServer: Sendable {
    /// All realms, enabled or not, as requests are served by now.
    var administeredRealms: [any AdministeredRealm] { get }

    /// The realm of that name, enabled or not.
    func administeredRealm(named name: String) -> (any AdministeredRealm)?

    /// Serves what other processes have changed.
    func readChanges() async throws

    /// Counts wrong passwords.
    var tries: FailedPasswords { get }

    /// Writes what happened and is not in the trail yet.
    func flushEvents(into store: EventStore) async throws

    /// Whether a link may lead to that address of the client's in the end.
    func permits(_ redirectURI: String, of client: Client, in realm: Realm) -> Bool

    /// Mails a link to the address that it is for.
    ///
    /// - Parameter sender: The id of the administrator; each sends five mails an hour to a mailbox,
    ///   and all together ten.
    func mail(
        _ link: ActionLink,
        to person: Person,
        in realm: Realm,
        by sender: String,
        at moment: Moment
    ) async throws -> ActionLink.Outcome
}

/// A realm as it is served by now.
package protocol AdministeredRealm: Sendable {
    var realm: Realm { get }
    /// What roles contain, and the groups.
    var graph: RoleGraph { get }

    /// The client of that id, enabled or not.
    func client(uuid: String) async throws -> Client?

    /// The client of that `client_id`, enabled or not.
    func client(named clientID: String) async throws -> Client?

    /// The origins whose scripts may read what a client's tokens open.
    func origins(of client: Client) -> [String]

    /// The keys that are published at `now` (seconds since 1970), as members of the JWK set.
    func publishedKeys(at now: Int64) throws -> [(jwk: JSONObject, signs: Bool)]
}

/// A link that an administrator has mailed to a person, for what they are to do: choose a password,
/// confirm their address, set up an authenticator app.
///
/// Unlike a link that a person asks for, it works in any browser: no browser has asked.
package struct ActionLink: Hashable, Sendable {
    package var person: PersonLink
    /// Where an app wants the person to go on.
    package var back: Back?

    package struct Back: Hashable, Sendable {
        package var clientID: String
        package var redirectURI: String

        package init(clientID: String, redirectURI: String) {
            self.clientID = clientID
            self.redirectURI = redirectURI
        }
    }

    package init(person: PersonLink, back: Back?) {
        self.person = person
        self.back = back
    }

    /// What a link can ask for; another one's mail would lead to nothing.
    package static let possibleActions = [
        RequiredAction.updatePassword, RequiredAction.verifyEmail, RequiredAction.configureTOTP,
    ]
    /// In seconds: 30 days.
    package static let longestLifetime: Int64 = 2_592_000

    package enum Outcome: Hashable, Sendable {
        case sent
        /// The server sends no mail.
        case sendsNoMail
        /// So many mails went to this address: seconds until the next.
        case mustWait(Double)
    }
}

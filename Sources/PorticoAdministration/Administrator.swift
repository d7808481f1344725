import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// The person, or the command, that asks for an operation. A face makes the value, and every operation
/// judges by it.
package struct Administrator: Sendable {
    /// The command line is anyone who may run `portico` on the server.
    package let actor: Event.Actor
    /// What they showed of themselves; the command line shows nothing.
    package let token: Token?
    /// The realm that they administer; `nil`: every realm.
    package let realmID: String?
    /// Their administrative roles, as roles of that realm.
    package let held: Set<RoleName>
    /// The realm's administrator, or the server's.
    package let isUnlimited: Bool
    /// Whether all realms are theirs: they make and delete realms.
    package let isServerAdministrator: Bool

    private init(
        _ token: Token?,
        realmID: String?,
        held: Set<RoleName>,
        isUnlimited: Bool,
        isServerAdministrator: Bool
    ) {
        actor = token.map { .person($0.person.id) } ?? .commandLine
        self.token = token
        self.realmID = realmID
        self.held = held
        self.isUnlimited = isUnlimited
        self.isServerAdministrator = isServerAdministrator
    }

    /// The command line, which may do everything.
    package static let commandLine = Administrator(
        nil,
        realmID: nil,
        held: [],
        isUnlimited: true,
        isServerAdministrator: true
    )

    /// What an access token shows of the person who sends it.
    package struct Token: Sendable {
        package let realm: Realm
        package let client: Client
        /// The clients that the sign-in was handed on by.
        package let sources: [Client]
        /// A person, or the account that a client has for itself.
        package let person: Person
        /// The roles that the person has now, as far as the token says so.
        package let roles: Set<RoleName>
        package let address: String
        /// What the trail says of the request besides.
        package var request: JSONObject = [:]

        package init(
            realm: Realm,
            client: Client,
            sources: [Client],
            person: Person,
            roles: Set<RoleName>,
            address: String
        ) {
            self.realm = realm
            self.client = client
            self.sources = sources
            self.person = person
            self.roles = roles
            self.address = address
        }

        /// What the token is good for here: what its client lends, and those that handed the sign-in on.
        /// No client lends anything of itself (docs/decisions/0071).
        fileprivate var lent: Set<RoleName> {
            // A client's own account is looked at whenever its roles, or the client, change.
            guard person.serviceClientID == nil else { return roles }
            return ([client] + sources).reduce(roles) { roles, client in
                roles.filter { role in
                    !AdminRights.isAdministrative(role, in: realm.name)
                        || client.lendsAdministration && client.lends?.contains(role) ?? true
                }
            }
        }
    }

    /// The holder of a token, in a realm: their own one, or any where the token is of `master`.
    ///
    /// - Parameter hasMaster: Whether tokens of `master` reach into other realms.
    /// - Returns: `nil` where the token is of another realm.
    package init?(_ token: Token, in realm: Realm, hasMaster: Bool) {
        let roles = token.lent
        let isOfMaster = token.realm.name == AdminRights.master
        let isServer =
            hasMaster && isOfMaster && roles.contains(AdminRights.serverAdministrator)
        let held: Set<RoleName>
        let isUnlimited: Bool
        if token.realm.id == realm.id {
            held = roles.filter { AdminRights.isAdministrative($0, in: realm.name) }
            isUnlimited = held.contains(AdminRights.whole(in: realm.name))
        } else if hasMaster, isOfMaster {
            isUnlimited = isServer
            let client = realm.name + "-realm"
            held = Set(
                roles.filter { $0.clientID.map { sameBytes($0, client) } ?? false }
                    .map { RoleName(clientID: AdminRights.management, name: $0.name) }
            )
        } else {
            return nil
        }
        self.init(
            token,
            realmID: realm.id,
            held: held,
            isUnlimited: isUnlimited,
            isServerAdministrator: isServer
        )
    }

    /// Whether there is anything that they may administer.
    package var hasRights: Bool { isUnlimited || !held.isEmpty }
}

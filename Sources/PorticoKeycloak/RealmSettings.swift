import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The settings of a realm that have a counterpart in Portico (Keycloak `RealmRepresentation`).
struct RealmSettings {
    /// A realm that says nothing yet.
    static let blank = Realm(id: "", name: "", displayName: "", issuer: "")

    private let read: Realm
    /// `nil`: the file has no required actions at all.
    private let allowsDeletion: Bool?

    init(_ realm: Representation, report: inout ImportReport) throws(RealmImportError) {
        var read = Self.blank
        try RealmRepresentation.members.read(realm, of: nil, to: &read, report: &report)
        try RealmRepresentation.attributes.read(
            try realm.textAttributes,
            of: "attributes",
            to: &read,
            report: &report
        )
        report.add(
            .read,
            "sign-out",
            "a valid id_token_hint signs out without the browser's cookie, as there"
        )
        let actions = try realm.children("requiredActions")
        var allowsDeletion: Bool? = actions.isEmpty ? nil : false
        for action in actions where try action.text("alias") == "delete_account" {
            allowsDeletion = try action.bool("enabled") == true
        }
        self.allowsDeletion = allowsDeletion
        self.read = read
    }

    /// `nil`: its name.
    var displayName: String? { read.displayName.isEmpty ? nil : read.displayName }

    var signingAlgorithm: SignatureAlgorithm { read.signingAlgorithm }

    /// What no representation has a member for stays.
    func apply(to realm: inout Realm) {
        RealmRepresentation.members.take(from: read, to: &realm)
        RealmRepresentation.attributes.take(from: read, to: &realm)
        realm.allowsDeletion = allowsDeletion ?? realm.allowsDeletion
    }

    /// What has no place of its own, for exports and for the answers of the realm.
    static func kept(_ realm: Representation) -> JSONObject {
        RepresentationMembers.realm.kept(of: realm.object)
    }

    /// Whether a member of a file has no place of its own.
    static func isKept(_ name: String) -> Bool {
        RepresentationMembers.realm.isKept(name, .null)
    }

    static func reportTheRest(of realm: Representation, report: inout ImportReport)
        throws(RealmImportError)
    {
        try SecurityLosses(realm: realm).add(to: &report)
        RepresentationMembers.realm.add(realm.object, nil, to: &report)
        RealmRepresentation.attributes.representation.add(
            try realm.textAttributes.object,
            "attributes",
            to: &report
        )
    }
}

/// What new people get.
extension Realm {
    /// Of a client's roles.
    func defaultRoles(of client: Client) -> [RoleName] {
        defaultRoles.filter { $0.clientID.map { sameBytes($0, client.clientID) } ?? false }
    }

    /// The default role, or in files from before version 13, those of the realm and of its clients.
    ///
    /// - Returns: `nil` where the file says nothing of them.
    static func defaultRoles(_ realm: Representation, _ clients: [Client])
        throws(RealmImportError) -> [RoleName]?
    {
        if let name = try realm.child("defaultRole")?.text("name") {
            return [RoleName(clientID: nil, name: name)]
        }
        let said = try realm.strings("defaultRoles")
        let ofClients = clients.flatMap(\.saidDefaultRoles)
        guard said != nil || !ofClients.isEmpty else { return nil }
        return (said ?? []).map { RoleName(clientID: nil, name: $0) } + ofClients
    }
}

extension Client {
    /// Those of its roles that files from before version 13 give every new person.
    fileprivate var saidDefaultRoles: [RoleName] {
        (kept["defaultRoles"]?.array ?? []).compactMap { name in
            name.string.map { RoleName(clientID: clientID, name: $0) }
        }
    }

    /// The same, where the realm still gives new people roles of clients: later ones have one default role
    /// of the realm, and `nil` here.
    func saidDefaultRoles(in realm: Realm) -> [RoleName]? {
        realm.kept.object.object("defaultRole") == nil ? saidDefaultRoles : nil
    }
}

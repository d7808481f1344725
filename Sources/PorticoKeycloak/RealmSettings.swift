import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The settings of a realm that have a counterpart in Portico (Keycloak `RealmRepresentation`).
struct RealmSettings {
    let displayName: String?
    let signingAlgorithm: SignatureAlgorithm
    private let isEnabled: Bool
    private let lifetimes: Realm.Lifetimes
    private let notBefore: Int64
    private let signsInWithEmail: Bool
    private let allowsPasswordReset: Bool
    private let confirmsEmail: Bool
    private let registration: Realm.Registration?
    private let acrLevels: [String: Int64]
    private let defaultLanguage: String?
    private let codeDrift: Int64
    private let events: Realm.EventPolicy

    init(_ realm: Representation, report: inout ImportReport) throws(RealmImportError) {
        let displayName = try realm.text("displayName")
        self.displayName = displayName.flatMap { PlainText.isLine($0, length: 200) ? $0 : nil }
        if displayName != self.displayName {
            report.add(.changed, "displayName", "left out: one line of at most 200 bytes")
        }
        // In Keycloak, a realm without the member is disabled.
        isEnabled = try realm.bool("enabled") ?? false
        if !isEnabled { report.add(.read, "enabled", "the realm is disabled: no one can sign in") }
        signsInWithEmail = try realm.bool("loginWithEmailAllowed") ?? true
        // In Keycloak, both are off unless the realm sets them.
        allowsPasswordReset = try realm.bool("resetPasswordAllowed") ?? false
        confirmsEmail = try realm.bool("verifyEmail") ?? false
        if allowsPasswordReset {
            report.add(.read, "resetPasswordAllowed", "offered where the server sends mail")
        }
        if confirmsEmail {
            report.add(
                .read,
                "verifyEmail",
                "asked before an app gets anything; the server must send mail"
            )
        }
        let registers = try realm.bool("registrationAllowed") ?? false
        let byEmail = try realm.bool("registrationEmailAsUsername") ?? false
        registration = registers ? byEmail ? .email : .username : nil
        if registers {
            report.add(
                .read,
                "registrationAllowed",
                "where the server sends mail, people prove their address before there is an account"
            )
        }
        report.add(
            .read,
            "sign-out",
            "a valid id_token_hint signs out without the browser's cookie, as there"
        )
        notBefore = max(0, try realm.integer("notBefore") ?? 0)
        lifetimes = try Self.lifetimes(realm, report: &report)
        acrLevels =
            ACRLevels.read(try realm.child("attributes")?.text(ACRLevels.attribute)) ?? [:]
        let language = try realm.text("defaultLocale")
        let speaksSeveral = try realm.bool("internationalizationEnabled") ?? false
        defaultLanguage = speaksSeveral ? language : nil
        codeDrift = max(0, try realm.integer("otpPolicyLookAheadWindow") ?? 0)
        events = try Realm.EventPolicy(realm)
        // A missing value means RS256 in Keycloak, and apps may depend on it (docs/decisions/0040).
        let name = try realm.text("defaultSignatureAlgorithm") ?? SignatureAlgorithm.rs256.rawValue
        if let algorithm = SignatureAlgorithm(rawValue: name) {
            signingAlgorithm = algorithm
        } else {
            signingAlgorithm = .rs256
            report.add(.changed, "defaultSignatureAlgorithm", "not known here; RS256 instead")
        }
    }

    func apply(to realm: inout Realm) {
        realm.isEnabled = isEnabled
        realm.lifetimes = lifetimes.withOurs(of: realm.lifetimes)
        realm.notBefore = notBefore
        realm.signsInWithEmail = signsInWithEmail
        realm.allowsPasswordReset = allowsPasswordReset
        realm.confirmsEmail = confirmsEmail
        realm.registration = registration
        realm.signsOutByHintAlone = true
        realm.errorStyle = .phrase
        realm.signingAlgorithm = signingAlgorithm
        realm.acrLevels = acrLevels
        realm.defaultLanguage = defaultLanguage
        realm.codeDrift = codeDrift
        realm.events = events
    }

    private static func lifetimes(_ realm: Representation, report: inout ImportReport)
        throws(RealmImportError) -> Realm.Lifetimes
    {
        var lifetimes = Realm.Lifetimes()
        let fields: [(String, WritableKeyPath<Realm.Lifetimes, Int64>)] = [
            ("accessTokenLifespan", \.accessToken),
            ("accessCodeLifespan", \.code),
            ("ssoSessionIdleTimeout", \.sessionIdle),
            ("ssoSessionMaxLifespan", \.sessionMaximum),
            ("offlineSessionIdleTimeout", \.offlineIdle),
        ]
        var named: [(String, WritableKeyPath<Realm.Lifetimes, Int64>, Int64)] = []
        for (name, path) in fields {
            // 0 stands for the default.
            guard let seconds = try realm.integer(name), seconds != 0 else { continue }
            lifetimes[keyPath: path] = seconds
            named.append((name, path, seconds))
        }
        lifetimes.formerSessionMaximum = max(
            0,
            try realm.integer("ssoSessionMaxLifespanRememberMe") ?? 0
        )
        let maximum = try realm.integer("offlineSessionMaxLifespan")
        if try realm.bool("offlineSessionMaxLifespanEnabled") == true {
            lifetimes.offlineMaximum = maximum
        }
        let bounded = lifetimes.withinBounds
        for (name, path, seconds) in named where bounded[keyPath: path] != seconds {
            report.add(.changed, name, "\(bounded[keyPath: path]) seconds: out of bounds here")
        }
        if bounded.offlineMaximum != lifetimes.offlineMaximum {
            report.add(.changed, "offlineSessionMaxLifespan", "cut to what is allowed here")
        }
        return bounded
    }
}

extension Realm.EventPolicy {
    init(_ realm: Representation) throws(RealmImportError) {
        self.init()
        keepsSignIns = try realm.bool("eventsEnabled") ?? false
        let types = try realm.strings("enabledEventTypes") ?? []
        kinds = types.isEmpty ? nil : EventWords.kinds(of: types)
        keepsAdministration = try realm.bool("adminEventsEnabled") ?? false
        if let seconds = try realm.integer("eventsExpiration"), seconds > 0 { lifetime = seconds }
    }
}

extension Realm.Lifetimes {
    /// With those that no representation has a member for.
    fileprivate func withOurs(of realm: Realm.Lifetimes) -> Realm.Lifetimes {
        var lifetimes = self
        lifetimes.appIdle = realm.appIdle
        lifetimes.refreshGrace = realm.refreshGrace
        lifetimes.pushedRequest = realm.pushedRequest
        return lifetimes
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

extension RealmSettings {
    /// Members with a place of their own.
    private static let placed: Set<String> = [
        "defaultGroups", "defaultDefaultClientScopes", "defaultOptionalClientScopes", "clients",
        "clientScopes", "roles", "users", "groups", "scopeMappings", "clientScopeMappings",
        "components", "federatedUsers",
    ]

    /// Members of old files with secrets in them, which nothing reads any more.
    private static let closed: Set<String> = [
        "privateKey", "codeSecret", "socialProviders", "userFederationProviders", "applications",
        "oauthClients", "adminPermissionsClient",
    ]

    /// What has no place of its own, for exports and for the answers of the realm.
    static func kept(_ realm: Representation) -> JSONObject {
        var object = JSONObject()
        for (name, value) in realm.object where isKept(name) { object[name] = value }
        return object
    }

    /// Whether a member of a file has no place of its own.
    static func isKept(_ name: String) -> Bool {
        !placed.contains(name) && !closed.contains(name) && PartImport.lists[name] == nil
            && !PartImport.objects.contains(name)
    }

    static func reportTheRest(of realm: Representation, report: inout ImportReport)
        throws(RealmImportError)
    {
        try SecurityLosses(realm: realm).add(to: &report)
        FieldReport.realm.add(realm.object, nil, report: &report)
        if let attributes = try realm.child("attributes") {
            FieldReport.realmAttributes.add(attributes.object, "attributes", report: &report)
        }
    }
}

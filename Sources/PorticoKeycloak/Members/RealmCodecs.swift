import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// How members of a realm are read and written.
extension MemberCodec where Owner == Realm {
    /// A realm without one is called by its name.
    static var displayName: MemberCodec {
        MemberCodec(
            read: { (said, realm, report) throws(RealmImportError) in
                let name = try said.text()
                let isLine = name.map { PlainText.isLine($0, length: 200) } ?? false
                realm.displayName = isLine ? name ?? "" : ""
                guard name != nil, !isLine else { return }
                report.add(.changed, said.subject, "left out: one line of at most 200 bytes")
            },
            isSame: { $1.storedText() ?? $0.name == $0.displayName },
            written: { .string($0.displayName) },
            take: { _, _ in }
        )
    }

    /// In Keycloak, a realm without the member is disabled.
    static var enabled: MemberCodec {
        value(
            \.isEnabled,
            read: { (said, report) throws(RealmImportError) in
                let isOn = try said.bool() ?? false
                if !isOn {
                    report.add(.read, said.subject, "the realm is disabled: no one can sign in")
                }
                return isOn
            },
            written: { .bool($0) }
        )
    }

    static var registration: MemberCodec {
        MemberCodec(
            read: { (said, realm, report) throws(RealmImportError) in
                realm.registration = nil
                guard try said.bool() ?? false else { return }
                let isByEmail =
                    try said.representation.bool("registrationEmailAsUsername") ?? false
                realm.registration = isByEmail ? .email : .username
                report.add(
                    .read,
                    said.subject,
                    "where the server sends mail, people prove their address before there is an account"
                )
            },
            isSame: { ($1.storedBool() ?? false) == ($0.registration != nil) },
            written: { .bool($0.registration != nil) },
            take: { $1.registration = $0.registration }
        )
    }

    /// Read with ``registration``.
    static var registrationByEmail: MemberCodec {
        part(
            isSame: { realm, said in
                realm.registration == nil
                    || said.storedBool() == (realm.registration == .email)
            },
            written: { .bool($0.registration == .email) }
        )
    }

    /// A missing value means RS256 in Keycloak, and apps may depend on it (docs/decisions/0040).
    static var signingAlgorithm: MemberCodec {
        value(
            \.signingAlgorithm,
            read: { (said, report) throws(RealmImportError) in
                guard let name = try said.text() else { return .rs256 }
                if let algorithm = SignatureAlgorithm(rawValue: name) { return algorithm }
                report.add(.changed, said.subject, "not known here; RS256 instead")
                return .rs256
            },
            written: { .string($0.rawValue) }
        )
    }

    // MARK: Lifetimes

    /// A lifetime that is out of bounds here stays what it was there. 0 stands for the default.
    static func lifetime(_ path: Path<Int64>) -> MemberCodec {
        value(
            path,
            read: { (said, report) throws(RealmImportError) in
                var realm = RealmSettings.blank
                guard let seconds = try said.integer(), seconds != 0 else {
                    return realm[keyPath: path]
                }
                realm[keyPath: path] = seconds
                realm.lifetimes = realm.lifetimes.withinBounds
                let bounded = realm[keyPath: path]
                if bounded != seconds {
                    report.add(
                        .changed,
                        said.subject,
                        "\(bounded) seconds: out of bounds here"
                    )
                }
                return bounded
            },
            written: { .integer($0) }
        ).always
    }

    static var offlineMaximum: MemberCodec {
        MemberCodec(
            read: { (said, realm, report) throws(RealmImportError) in
                let seconds = try Self.offlineMaximum(said.representation)
                realm.lifetimes.offlineMaximum = seconds
                realm.lifetimes = realm.lifetimes.withinBounds
                guard realm.lifetimes.offlineMaximum != seconds else { return }
                report.add(
                    .changed,
                    "offlineSessionMaxLifespan",
                    "cut to what is allowed here"
                )
            },
            isSame: Self.hasOfflineMaximum,
            written: { .bool($0.lifetimes.offlineMaximum != nil) },
            take: { $1.lifetimes.offlineMaximum = $0.lifetimes.offlineMaximum }
        )
    }

    /// Read with ``offlineMaximum``.
    static var offlineMaximumTime: MemberCodec {
        part(
            isSame: { realm, said in
                realm.lifetimes.offlineMaximum == nil
                    || said.representation.object[said.name] != nil
                        && Self.hasOfflineMaximum(realm, said)
            },
            written: { $0.lifetimes.offlineMaximum.map(JSONValue.integer) }
        )
    }

    private static func offlineMaximum(_ realm: Representation) throws(RealmImportError)
        -> Int64?
    {
        let maximum = try realm.integer("offlineSessionMaxLifespan")
        return try realm.bool("offlineSessionMaxLifespanEnabled") == true ? maximum : nil
    }

    @Sendable private static func hasOfflineMaximum(_ realm: Realm, _ said: SaidMember) -> Bool {
        var former = Realm.Lifetimes()
        // `try?`: what cannot be read was not imported.
        former.offlineMaximum = (try? offlineMaximum(said.representation)) ?? nil
        return former.withinBounds.offlineMaximum == realm.lifetimes.offlineMaximum
    }

    // MARK: Pages

    /// It counts where the pages are in several.
    static var language: MemberCodec {
        value(
            \.defaultLanguage,
            read: { (said, _) throws(RealmImportError) in
                let isSpoken =
                    try said.representation.bool("internationalizationEnabled") ?? false
                return isSpoken ? try said.text() : nil
            },
            written: { $0.map(JSONValue.string) }
        )
    }

    /// Read with ``language``.
    static var severalLanguages: MemberCodec {
        part(
            isSame: { $0.defaultLanguage == nil || $1.storedBool() == true },
            written: { _ in true }
        )
    }

    /// An attribute.
    static var acrLevels: MemberCodec {
        value(
            \.acrLevels,
            read: { (said, _) throws(RealmImportError) in
                ACRLevels.read(try said.text()) ?? [:]
            },
            written: { $0.isEmpty ? nil : .string(ACRLevels.written($0)) }
        )
    }

    // MARK: Events

    static var eventKinds: MemberCodec {
        value(
            \.events.kinds,
            read: { (said, _) throws(RealmImportError) in
                Set(try said.representation.strings(said.name) ?? [])
            },
            written: { .texts($0.sorted()) }
        )
    }

    static var eventLifetime: MemberCodec {
        value(
            \.events.lifetime,
            read: { (said, _) throws(RealmImportError) in
                let seconds = try said.integer() ?? 0
                return seconds > 0 ? seconds : nil
            },
            written: { .integer($0 ?? 0) }
        )
    }
}

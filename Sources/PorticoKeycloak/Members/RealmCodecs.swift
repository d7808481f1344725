import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// How members of a realm are read and written.
extension MemberCodec where Owner == Realm {
    /// A realm without one is called by its name.
    static var displayName: MemberCodec {
        MemberCodec(
            read: { said, realm, report in
                let name = said.text
                let isLine = name.map { PlainText.isLine($0, length: 200) } ?? false
                realm.displayName = isLine ? name ?? "" : ""
                guard name != nil, !isLine else { return }
                report.add(.changed, said.subject, "left out: one line of at most 200 bytes")
            },
            isSame: { $1.text ?? $0.name == $0.displayName },
            written: { .string($0.displayName) }
        )
    }

    /// In Keycloak, a realm without the member is disabled.
    static var enabled: MemberCodec {
        value(
            \.isEnabled,
            read: { said, _, report in
                let isOn = said.bool ?? false
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
            read: { said, realm, report in
                realm.registration = nil
                guard said.bool ?? false else { return }
                let isByEmail =
                    said.other("registrationEmailAsUsername").bool ?? false
                realm.registration = isByEmail ? .email : .username
                report.add(
                    .read,
                    said.subject,
                    "where the server sends mail, people prove their address before there is an account"
                )
            },
            isSame: { ($1.bool ?? false) == ($0.registration != nil) },
            written: { .bool($0.registration != nil) },
            take: { $1.registration = $0.registration }
        )
    }

    /// Read with ``registration``.
    static var registrationByEmail: MemberCodec {
        part(
            isSame: { realm, said in
                realm.registration == nil
                    || said.bool == (realm.registration == .email)
            },
            written: { .bool($0.registration == .email) }
        )
    }

    /// A missing value means RS256 in Keycloak, and apps may depend on it (docs/decisions/0040).
    static var signingAlgorithm: MemberCodec {
        value(
            \.signingAlgorithm,
            read: { said, _, report in
                guard let name = said.text else { return .rs256 }
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
            read: { said, _, report in
                var realm = RealmSettings.blank
                guard let seconds = said.integer, seconds != 0 else {
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
            read: { said, realm, report in
                let (seconds, bounded) = offlineMaximum(said)
                realm.lifetimes.offlineMaximum = bounded
                guard bounded != seconds else { return }
                report.add(
                    .changed,
                    "offlineSessionMaxLifespan",
                    "cut to what is allowed here"
                )
            },
            isSame: { offlineMaximum($1).bounded == $0.lifetimes.offlineMaximum },
            written: { .bool($0.lifetimes.offlineMaximum != nil) },
            take: { $1.lifetimes.offlineMaximum = $0.lifetimes.offlineMaximum }
        )
    }

    /// Read with ``offlineMaximum``.
    static var offlineMaximumTime: MemberCodec {
        part(
            isSame: { realm, said in
                let now = realm.lifetimes.offlineMaximum
                return now == nil || said.value != nil && offlineMaximum(said).bounded == now
            },
            written: { $0.lifetimes.offlineMaximum.map(JSONValue.integer) }
        )
    }

    private static func offlineMaximum(_ said: SaidMember) -> (seconds: Int64?, bounded: Int64?) {
        let isOn = said.other("offlineSessionMaxLifespanEnabled").bool ?? false
        var lifetimes = Realm.Lifetimes()
        lifetimes.offlineMaximum = isOn ? said.other("offlineSessionMaxLifespan").integer : nil
        return (lifetimes.offlineMaximum, lifetimes.withinBounds.offlineMaximum)
    }

    // MARK: Pages

    /// It counts where the pages are in several.
    static var language: MemberCodec {
        value(
            \.defaultLanguage,
            read: { said, _, _ in
                let isSpoken =
                    said.other("internationalizationEnabled").bool ?? false
                return isSpoken ? said.text : nil
            },
            written: { $0.map(JSONValue.string) }
        )
    }

    /// Read with ``language``.
    static var severalLanguages: MemberCodec {
        part(
            isSame: { $0.defaultLanguage == nil || $1.bool == true },
            written: { _ in true }
        )
    }

    /// An attribute.
    static var acrLevels: MemberCodec {
        value(
            \.acrLevels,
            read: { said, _, _ in
                ACRLevels.read(said.text) ?? [:]
            },
            written: { $0.isEmpty ? nil : .string(ACRLevels.written($0)) }
        )
    }

    // MARK: Events

    /// No list, and an empty one, mean all.
    static var eventKinds: MemberCodec {
        value(
            \.events.kinds,
            read: { said, _, _ in
                let types = said.texts ?? []
                return types.isEmpty ? nil : EventWords.kinds(of: types)
            },
            written: { .texts($0.map(EventWords.types(of:)) ?? []) }
        )
    }

    static var eventLifetime: MemberCodec {
        value(
            \.events.lifetime,
            read: { said, _, _ in
                let seconds = said.integer ?? 0
                return seconds > 0 ? seconds : nil
            },
            written: { .integer($0 ?? 0) }
        )
    }
}

import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Imports the keys of a realm, so that what the server before has signed stays good (Keycloak
/// `org.keycloak.keys.KeyProvider`). A realm that is here takes none: one that was replaced, perhaps because it
/// leaked, would make tokens good again (docs/decisions/0054).
struct KeyImport {
    let seal: SigningKeySeal
    let kept: KeptKeySeal
    let moment: Moment
    private let existing: ExistingRealm?

    init(ring: KeyRing, moment: Moment, existing: ExistingRealm? = nil) {
        self.existing = existing
        seal = SigningKeySeal(ring: ring)
        kept = KeptKeySeal(ring: ring)
        self.moment = moment
    }

    struct Keys {
        var signing: [SigningKeyRecord] = []
        var kept: [KeptKey] = []
    }

    /// - Throws: also where the halves of a key do not fit: such a file is broken.
    func callAsFunction(
        _ representation: Representation,
        realmID: String,
        report: inout ImportReport
    ) throws(RealmImportError) -> Keys {
        var keys = Keys()
        guard let components = try representation.child("components") else { return keys }
        var read: [KeyComponent] = []
        for component in try components.children(PartImport.keyComponents) {
            read.append(try KeyComponent(component))
        }
        // Of one algorithm, the first that is active signs: later ones became active before it.
        let ranked = read.sorted {
            ($0.isActive ? 1 : 0, $0.priority) > ($1.isActive ? 1 : 0, $1.priority)
        }
        for (rank, component) in ranked.enumerated() {
            try add(component, rank: Int64(rank), realmID, to: &keys, report: &report)
        }
        return keys
    }

    private func add(
        _ component: KeyComponent,
        rank: Int64,
        _ realmID: String,
        to keys: inout Keys,
        report: inout ImportReport
    ) throws(RealmImportError) {
        let subject = "key \(component.name)"
        let material = try component.material()
        if let existing {
            existing.report(material, subject, &report)
            return
        }
        switch material {
        case .lost:
            report.add(.skipped, subject, "the file does not hold it: what it signed is void")
        case .secret(let secret, let keyID):
            guard isTaken(keyID, subject, keys, &report) else { return }
            let kind: KeptKey.Kind = component.isEnabled ? .hmac : .silent
            keys.kept.append(keptKey(component, keyID, kind, secret: secret, realmID))
            report.add(
                component.isEnabled ? .read : .changed,
                subject,
                nil,
                component.isEnabled ? "can verify refresh tokens of before" : "disabled",
                isKept: true
            )
        case .other:
            report.add(.ignored, subject, "of a kind that nothing here uses")
        case .pair(let pair):
            let keyID = pair.publicKey.keyID
            guard isTaken(keyID, subject, keys, &report) else { return }
            if let algorithm = component.signatureAlgorithm, component.isEnabled {
                let record = try record(pair, algorithm, component, rank, realmID)
                keys.signing.append(record)
                report.add(.read, subject, component.isActive ? "signs" : "verifies only")
            } else {
                let kind: KeptKey.Kind = component.isEnabled ? .published : .silent
                var key = keptKey(
                    component,
                    keyID,
                    kind,
                    secret: Array(component.privateText.utf8),
                    realmID
                )
                if kind == .published { key.publicJWK = component.jwk(of: pair) }
                keys.kept.append(key)
                let words = kind == .published ? "published only" : "disabled"
                report.add(.changed, subject, nil, words, isKept: true)
            }
        }
    }

    /// Whether it is the first of that `kid`.
    private func isTaken(
        _ keyID: String,
        _ subject: String,
        _ keys: Keys,
        _ report: inout ImportReport
    ) -> Bool {
        if (keys.signing.map(\.keyID) + keys.kept.map(\.keyID)).contains(keyID) {
            report.add(.skipped, subject, "the file has it twice")
            return false
        }
        return true
    }

    private func record(
        _ pair: ForeignPrivateKey,
        _ algorithm: SignatureAlgorithm,
        _ component: KeyComponent,
        _ rank: Int64,
        _ realmID: String
    ) throws(RealmImportError) -> SigningKeyRecord {
        let key: SigningKey
        do {
            key = try pair.signingKey(algorithm)
        } catch {
            throw .key(path: component.path, error)
        }
        var record = SigningKeyRecord(
            realmID: realmID,
            keyID: key.keyID,
            algorithm: algorithm,
            sealedPrivateKey: seal.seal(key, realmID: realmID, random: moment.random),
            createdAt: moment.seconds,
            // One that does not sign comes behind every other, one made now too.
            activeFrom: moment.seconds - rank - (component.isActive ? 0 : 1)
        )
        record.priority = component.priority
        record.certificate = component.certificate?.x5c
        record.component = component.withoutSecrets
        return record
    }

    private func keptKey(
        _ component: KeyComponent,
        _ keyID: String,
        _ kind: KeptKey.Kind,
        secret: [UInt8],
        _ realmID: String
    ) -> KeptKey {
        KeptKey(
            realmID: realmID,
            keyID: keyID,
            kind: kind,
            algorithm: component.algorithm,
            sealed: kept.seal(secret, of: keyID, realmID: realmID, random: moment.random),
            publicJWK: nil,
            priority: component.priority,
            component: component.withoutSecrets
        )
    }
}

extension ExistingRealm {
    /// Says that a key of a file is not taken.
    fileprivate func report(
        _ material: KeyComponent.Material,
        _ subject: String,
        _ report: inout ImportReport
    ) {
        let keyID: String
        switch material {
        case .lost, .other:
            report.add(.read, subject, "not taken: keys that are here stay as they are")
            return
        case .secret(_, let id): keyID = id
        case .pair(let pair): keyID = pair.publicKey.keyID
        }
        if hasKey(keyID) {
            report.add(.read, subject, "stays as it is here")
        } else {
            report.add(.skipped, subject, "not taken: what it signed is not good here")
        }
    }
}

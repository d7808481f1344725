import PorticoBytes
import PorticoSeals
import PorticoSystem

/// The content of a device secret: an app shares it on its device with others of its vendor, which
/// exchange it for tokens of their own (OpenID Connect Native SSO §3.2).
///
/// It is sealed, as the standard requires of a server that stores none, and is good while the grant
/// it was issued with is live, and the session behind that.
struct DeviceSecret: Sendable, Equatable {
    var grantID: UniqueID
    /// `sid`.
    var sessionID: String

    /// `ds_hash` of a secret, which binds it to its ID Token (§3.4.1).
    static func hash(of text: String) -> String {
        Base64URL.encode(Hash256(of: text).bytes)
    }
}

/// Seals device secrets of one realm and opens them.
struct DeviceSecretSeal: Sendable {
    private let seal: Seal

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "device secret", realm: realmID)
    }

    func seal(_ secret: DeviceSecret, at moment: Moment) -> String {
        seal.seal(secret.encoded, at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if the text is no device secret of this realm, or was made `lifetime`
    ///   seconds ago or more.
    func open(_ text: String, at moment: Moment, within lifetime: Int64) -> DeviceSecret? {
        // `try?`: every failure has the same answer.
        guard
            let bytes = try? seal.open(
                text,
                at: moment.now,
                within: TimeInterval(lifetime),
                maximumLength: 1024
            )
        else { return nil }
        // `try?`: only another version of the program writes other fields.
        return try? DeviceSecret(encoded: bytes)
    }
}

extension DeviceSecret {
    private static let version: UInt8 = 1

    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.fixed(grantID.bytes)
        writer.text(sessionID)
        return writer.bytes
    }

    fileprivate init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        guard try reader.byte() == Self.version, let id = UniqueID(bytes: try reader.fixed(16))
        else { throw ByteReader.Malformed() }
        grantID = id
        sessionID = try reader.text()
        try reader.end()
    }
}

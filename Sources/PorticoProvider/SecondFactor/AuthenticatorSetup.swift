import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// An authenticator app that is being set up: nothing is stored before a code has shown that the app
/// has the key.
struct AuthenticatorSetup: Sendable {
    /// The session that it is set up in.
    let sessionID: String
    /// The credential's, drawn before: the same form sent twice adds one app.
    let id: UniqueID
    /// 20 random bytes (RFC 4226 §4).
    let key: [UInt8]

    init(in session: PersonSession, _ moment: Moment) {
        sessionID = session.id
        id = moment.id()
        key = moment.random.bytes(20)
    }

    /// The parameters that every app knows.
    private static let parameters: JSONObject = [
        "type": "otp", "subType": "totp", "algorithm": "HmacSHA1", "digits": 6, "period": 30,
        "secretEncoding": "BASE32",
    ]

    var secret: SecretText { SecretText(#"{"value":""# + Base32.encode(key) + #""}"#) }

    /// The time step of a code that the app shows.
    func step(of typed: String, at now: Int64, drift: Int64) -> Int64? {
        OneTimePassword(Self.parameters, secret: secret)?.step(of: typed, at: now, drift: drift)
    }

    /// - Parameter step: Of the code it was confirmed by, which is spent by that.
    func credential(of person: Person, step: Int64, seal: CredentialSeal, _ moment: Moment)
        -> Credential
    {
        Credential(
            id: id.text,
            personID: person.id,
            kind: .totp,
            label: "",
            createdAt: moment.seconds * 1000,
            priority: 10,
            parameters: Self.parameters,
            sealedSecret: seal.seal(secret, of: id.text, random: moment.random),
            used: step
        )
    }

    /// For apps on this device, and for a QR code (the Key URI Format of Google Authenticator).
    func link(of person: Person, in realm: LiveRealm) -> PageLink? {
        let issuer = Self.name(realm.displayName)
        let account = Self.name(person.username)
        return PageLink(
            redirect: "otpauth://totp/\(issuer):\(account)?secret=\(Base32.encode(key))"
                + "&issuer=\(issuer)&algorithm=SHA1&digits=6&period=30"
        )
    }

    /// Cut, so that it fits into a QR code that a phone can read: apps only show it.
    private static func name(_ text: String) -> String {
        var text = text
        while escaped(text).utf8.count > 120 { text.removeLast() }
        return escaped(text)
    }

    /// RFC 3986 §2.1: all but the unreserved characters.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte.isLetterOrDigit || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                Hexadecimal.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Seals and opens the setups of one realm.
struct AuthenticatorSetupSeal: Sendable {
    private let seal: Seal

    /// In seconds.
    private static let lifetime: Double = 600

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "authenticator setup", realm: realmID)
    }

    func seal(_ setup: AuthenticatorSetup, at moment: Moment) -> String {
        var writer = ByteWriter()
        writer.text(setup.sessionID)
        writer.fixed(setup.id.bytes)
        writer.fixed(setup.key)
        return seal.seal(writer.bytes, at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if the text is not a setup of this session, or is too old.
    func open(_ text: String?, in session: PersonSession, at moment: Moment)
        -> AuthenticatorSetup?
    {
        // `try?`: every failure leads to the page where it begins.
        guard let text, let bytes = try? seal.open(text, at: moment.now, within: Self.lifetime),
            let setup = try? AuthenticatorSetup(encoded: bytes),
            sameBytes(setup.sessionID, session.id)
        else { return nil }
        return setup
    }
}

extension AuthenticatorSetup {
    fileprivate init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        sessionID = try reader.text()
        guard let id = UniqueID(bytes: try reader.fixed(16)) else { throw ByteReader.Malformed() }
        self.id = id
        key = try reader.fixed(20)
        try reader.end()
    }
}

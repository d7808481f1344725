package import Portico
package import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// A pending sign-in at an identity provider: everything that must stay secret until its answer
/// arrives. The server stores none of it: ``encoded`` is kept sealed in the browser that began it.
package struct Attempt: Sendable {
    /// Spent when the answer is accepted.
    package let id: UniqueID
    /// The configured name of the provider.
    package let provider: String
    /// Its canonical issuer when the attempt began.
    package let issuer: String
    /// Seconds since 1970.
    package let startedAt: Int64
    /// The requested `max_age`.
    package let maxAge: Int64?
    let secrets: FlowSecrets
    /// What the tokens are to be bound to, if the provider binds them.
    let key: DPoPKey?

    /// The allowed age of `auth_time` at `now`: the provider counts from the request, while the
    /// person may take their time before the answer.
    func maxAge(at now: Date) -> Int64? {
        maxAge.map { $0 + max(0, NumericDate.seconds(now) - startedAt) }
    }

    package var redirectURI: String { secrets.redirectURI }
    package var state: SecretText { secrets.state }

    package init(
        id: UniqueID,
        provider: String,
        issuer: String,
        startedAt: Int64,
        maxAge: Int64?,
        secrets: FlowSecrets,
        key: DPoPKey?
    ) {
        self.id = id
        self.provider = provider
        self.issuer = issuer
        self.startedAt = startedAt
        self.maxAge = maxAge
        self.secrets = secrets
        self.key = key
    }
}

extension Attempt {
    /// With a key; 1 is without.
    private static let version: UInt8 = 2

    /// Contains secrets: to be sealed.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(key == nil ? 1 : Self.version)
        writer.fixed(id.bytes)
        writer.text(provider)
        writer.text(issuer)
        writer.integer(startedAt)
        writer.integer(maxAge ?? -1)
        writer.text(secrets.redirectURI)
        writer.text(secrets.state.reveal())
        writer.text(secrets.nonce.reveal())
        writer.text(secrets.verifier.reveal())
        if let key { writer.fixed(key.revealStored()) }
        return writer.bytes
    }

    /// - Throws: if the bytes are not exactly those of an attempt.
    package init(encoded: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(encoded)
        let version = try reader.byte()
        guard 1...Self.version ~= version, let id = UniqueID(bytes: try reader.fixed(16))
        else { throw ByteReader.Malformed() }
        self.id = id
        provider = try reader.text()
        issuer = try reader.text()
        startedAt = try reader.integer()
        let maxAge = try reader.integer()
        self.maxAge = maxAge < 0 ? nil : maxAge
        let redirectURI = try reader.text()
        let state = SecretText(try reader.text())
        let nonce = SecretText(try reader.text())
        guard let verifier = CodeVerifier(try reader.text()) else { throw ByteReader.Malformed() }
        let key = version == 1 ? nil : try reader.fixed(32)
        try reader.end()
        do throws(JWKError) {
            self.key = try key.map { stored throws(JWKError) in try DPoPKey(stored: stored) }
        } catch {
            throw ByteReader.Malformed()
        }
        secrets = FlowSecrets(
            redirectURI: redirectURI,
            state: state,
            nonce: nonce,
            verifier: verifier
        )
    }
}

extension Attempt: Hashable {
    package static func == (one: Attempt, other: Attempt) -> Bool {
        ConstantTime.equal(one.encoded, other.encoded)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

import Foundation
package import Portico
package import PorticoBytes
import PorticoProtocol

/// One sign-in under way at an identity provider: everything that must be secret until its answer
/// comes. A server keeps none of it: ``encoded`` travels sealed in the browser that began it.
package struct Attempt: Sendable {
    /// What is spent when the answer counts.
    package let id: UniqueID
    /// The configured name of the provider.
    package let provider: String
    /// Its canonical issuer when the attempt began.
    package let issuer: String
    /// Seconds since 1970.
    package let startedAt: Int64
    /// The `max_age` that was asked for.
    package let maxAge: Int64?
    let secrets: FlowSecrets

    /// What `auth_time` may be old at `now`: the provider counts from the request, not from the
    /// answer, before which the person may take their time.
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
        secrets: FlowSecrets
    ) {
        self.id = id
        self.provider = provider
        self.issuer = issuer
        self.startedAt = startedAt
        self.maxAge = maxAge
        self.secrets = secrets
    }
}

extension Attempt {
    private static let version: UInt8 = 1

    /// Not readable by whoever may not know the secrets: to be sealed.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.fixed(id.bytes)
        writer.text(provider)
        writer.text(issuer)
        writer.integer(startedAt)
        writer.integer(maxAge ?? -1)
        writer.text(secrets.redirectURI)
        writer.text(secrets.state.reveal())
        writer.text(secrets.nonce.reveal())
        writer.text(secrets.verifier.reveal())
        return writer.bytes
    }

    /// - Throws: where the bytes are not those of an attempt, to the last one.
    package init(encoded: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(encoded)
        guard try reader.byte() == Self.version, let id = UniqueID(bytes: try reader.fixed(16))
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
        try reader.end()
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

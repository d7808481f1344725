package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
package import PorticoSystem
package import PorticoUpstream

/// Stores our credentials for identity providers, each sealed for the provider it belongs to.
package struct ProviderSecrets: Sendable {
    private let vault: SealedAtRest
    private let ofFile: @Sendable (ProviderRecord) throws -> SecretText?

    /// - Parameter ofFile: Opens that of a realm's file.
    package init(
        ring: KeyRing,
        ofFile: @escaping @Sendable (ProviderRecord) throws -> SecretText? = { _ in nil }
    ) {
        vault = SealedAtRest(ring: ring, purpose: "provider secret")
        self.ofFile = ofFile
    }

    package func seal(_ secret: SecretText, for provider: String, random: RandomSource) -> String {
        Base64URL.encode(vault.seal(Array(secret.reveal().utf8), for: provider, random: random))
    }

    /// - Throws: `SealError` if another ring sealed it; the error of an invalid secret.
    package func open(_ record: ProviderRecord) throws -> ProviderSecret? {
        if record.isOfFile {
            return try ofFile(record).map { try ProviderSecret($0) }
        }
        guard let text = record.sealedSecret else { return nil }
        guard let sealed = Base64URL.decode(text) else { throw SealError.doesNotOpen }
        let bytes = try vault.open(sealed, for: record.name)
        guard let secret = String(validating: bytes, as: UTF8.self) else {
            throw SealError.doesNotOpen
        }
        return try ProviderSecret(SecretText(secret))
    }
}

extension IdentityProvider {
    /// The provider that a record describes.
    ///
    /// - Throws: ``IdentityProviderRefusal``.
    package init(_ record: ProviderRecord, allowingStandIns: Bool = false) throws {
        guard let kind = Kind(rawValue: record.kind) else { throw IdentityProviderRefusal.name }
        try self.init(
            name: record.name,
            kind: kind,
            settings: record.settings,
            allowingStandIns: allowingStandIns
        )
        guard ProviderName.isAvailable(name) else {
            throw IdentityProviderRefusal.nameTaken
        }
    }
}

extension UpstreamClient {
    /// The client for a provider's record.
    ///
    /// - Throws: if its settings or its secret are not usable.
    package convenience init(
        _ record: ProviderRecord,
        secrets: ProviderSecrets,
        transport: any HTTPTransport,
        allowingStandIns: Bool = false,
        now: @escaping @Sendable () -> Date,
        random: RandomSource = .system
    ) throws {
        let provider = try IdentityProvider(record, allowingStandIns: allowingStandIns)
        let secret = try secrets.open(record)
        try provider.check(secret)
        self.init(provider, secret: secret, transport: transport, now: now, random: random)
    }
}

/// The names for providers in addresses: `google`.
enum ProviderName {
    /// Segments below `/v1/auth/` that our own addresses use.
    private static let reserved: Set<String> = ["token", "refresh", "session", "logout"]

    /// Whether no address of a provider with this name conflicts with one of ours.
    static func isAvailable(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/")) && !reserved.contains(name)
    }
}

import PorticoProtocol

extension Duration {
    /// How long to wait for the lock of a storage: longer than a refresh can hold it.
    ///
    /// It may be made twice (``KeptSession``). Each time, tokens are asked for where the provider was
    /// and where it is now, and at both once more if a proof needs a nonce (RFC 9449 §8); its metadata
    /// may be fetched before each of both and twice for the ID Token, and its keys once.
    static let refresh = Duration.seconds(2 * (4 * tokens + 4 * discovery + keys) + margin)

    /// A token endpoint, or the like of a backend.
    private static let tokens = max(
        ProviderProfile().tokenLimits.seconds,
        BackendEndpoint.limits.seconds
    )
    private static let discovery = Discovery.addresses * ProviderMetadata.limits.seconds
    private static let keys = RemoteProvider.keyLimits.seconds
    /// For the storage, and for revoking what comes after a sign-out.
    private static let margin = 60
}

package import PorticoProtocol
package import PorticoStores

extension SigningKeyRecord {
    /// The algorithms that `keys` sign with at `now` (seconds since 1970). A published key that
    /// still waits does not count.
    package static func activeAlgorithms(of keys: [SigningKeyRecord], at now: Int64) -> Set<
        SignatureAlgorithm
    > {
        Set(
            keys.filter { $0.activeFrom <= now && ($0.retiredFrom.map { now < $0 } ?? true) }
                .map(\.algorithm)
        )
    }
}

package import PorticoProtocol
package import PorticoStores

extension SigningKeyRecord {
    /// What `keys` sign with at `now` (seconds since 1970). A key that is published and waits is not
    /// among them.
    package static func activeAlgorithms(of keys: [SigningKeyRecord], at now: Int64) -> Set<
        SignatureAlgorithm
    > {
        Set(
            keys.filter { $0.activeFrom <= now && ($0.retiredFrom.map { now < $0 } ?? true) }
                .map(\.algorithm)
        )
    }
}

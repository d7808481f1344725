import PorticoProtocol
package import PorticoStores

extension Credential {
    /// An app of a person's which no code is of: a second factor that cannot be met.
    package static func app(_ id: String = "app", of personID: String) -> Credential {
        Credential(
            id: id,
            personID: personID,
            kind: .totp,
            label: "",
            createdAt: 0,
            priority: 0,
            parameters: [:],
            sealedSecret: ""
        )
    }
}

import PorticoBytes
import PorticoProtocol
package import PorticoStores

extension Client {
    /// An app, which keeps no secret.
    package static func app(
        _ clientID: String,
        _ name: String? = nil,
        id: String = UniqueID(random: .system).text,
        realmID: String
    ) -> Client {
        Client(
            id: id,
            realmID: realmID,
            clientID: clientID,
            name: name ?? clientID,
            type: .public,
            authentication: .none
        )
    }
}

import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What an app asks a person to do before it gets its answer (`kc_action`;
/// ``Compatibility/requestedActions``).
struct RequestedAction: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case updatePassword, configureTOTP
    }

    /// As it was sent, and comes back.
    let name: String
    /// `nil`: nothing here does it, and the answer says so.
    let kind: Kind?

    /// - Returns: `nil` where nothing is asked for.
    init?(_ form: FormParameters, of client: Client) {
        guard client.compatibility.contains(.requestedActions), let name = form["kc_action"],
            name.utf8.count <= 255, name.utf8.allSatisfy({ $0.isVisible })
        else { return nil }
        self.name = name
        kind =
            if sameBytes(name, RequiredAction.updatePassword) {
                .updatePassword
            } else if sameBytes(name, RequiredAction.configureTOTP) {
                .configureTOTP
            } else {
                nil
            }
    }

    /// What became of it (`kc_action_status`).
    enum Status: UInt8, CaseIterable, Sendable {
        case success = 1
        case cancelled
        case error

        var word: String {
            switch self {
            case .success: "success"
            case .cancelled: "cancelled"
            case .error: "error"
            }
        }
    }
}

import ArgumentParser
import PorticoBackend
import PorticoStores
import PorticoUpstream

/// A kind of provider, as commands name it.
enum ProviderKind: Hashable, Sendable {
    case upstream(IdentityProvider.Kind)
    /// Internet handles: each person's host is another.
    case handles

    init?(_ record: ProviderRecord) { self.init(argument: record.kind) }

    var name: String {
        switch self {
        case .upstream(let kind): kind.rawValue
        case .handles: HandleProvider.kind
        }
    }
}

extension ProviderKind: ExpressibleByArgument {
    init?(argument: String) {
        if argument == HandleProvider.kind {
            self = .handles
        } else if let kind = IdentityProvider.Kind(rawValue: argument) {
            self = .upstream(kind)
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] {
        IdentityProvider.Kind.allCases.map(\.rawValue) + [HandleProvider.kind]
    }
}

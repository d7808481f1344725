import PorticoPages
import PorticoStores

/// A page of a person's own account in a realm, independent of apps.
enum AccountPlace: String, Sendable {
    case apps, devices, password, secondFactors

    /// - Parameter name: From a form. An unknown name selects the first page.
    init(named name: String?) {
        self = name.flatMap(Self.init(rawValue:)) ?? .apps
    }

    func path(_ context: RealmContext) -> String {
        let route: RealmPath =
            switch self {
            case .apps: .apps
            case .devices: .devices
            case .password: .password
            case .secondFactors: .secondFactors
            }
        return context.path(route)
    }

    /// - Parameter waiting: An authorization request that waits.
    func path(_ context: RealmContext, bringing waiting: ResumableRequest?) -> String {
        path(context) + (waiting.map { "?request=" + $0.sealed } ?? "")
    }

    /// The purpose of the tokens in its form.
    var form: StaticString {
        switch self {
        case .apps: "connected apps"
        case .devices: "devices"
        case .password: "account password"
        case .secondFactors: "second factors"
        }
    }

    /// The links between these pages.
    static func navigation(_ context: RealmContext) -> PageNavigation {
        PageNavigation(
            base: context.path(.account),
            entries: [.apps, .devices, .password, .secondFactors]
        )
    }
}

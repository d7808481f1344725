import PorticoPages
import PorticoStores

/// A page that the people of a realm have for themselves, for no app.
enum AccountPlace: String, Sendable {
    case apps, devices

    /// - Parameter name: As a form says, to which nobody else's page comes: the first one where it
    ///   says nothing known.
    init(named name: String?) {
        self = name.flatMap(Self.init(rawValue:)) ?? .apps
    }

    func path(_ context: RealmContext) -> String {
        let route: RealmPath =
            switch self {
            case .apps: .apps
            case .devices: .devices
            }
        return RealmURLs.path(realmName: context.realm.name, route)
    }

    /// What the tokens of its form are for.
    var form: StaticString {
        switch self {
        case .apps: "connected apps"
        case .devices: "devices"
        }
    }

    /// From each of them to the others.
    static func navigation(_ context: RealmContext) -> PageNavigation {
        PageNavigation(
            base: RealmURLs.path(realmName: context.realm.name, .account),
            entries: [.apps, .devices]
        )
    }
}

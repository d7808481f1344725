/// A page of a person's own account, which a sign-in in a realm can lead to.
package enum AccountPlace: String, CaseIterable, Sendable {
    case overview, details, methods, devices, apps, password, secondFactors, deletion, export
    /// An identity waits, to be added to the account of the person who signs in.
    case joining

    /// - Parameter name: From a form. An unknown name selects the first page.
    package init(named name: String?) {
        self = name.flatMap(Self.init(rawValue:)) ?? .overview
    }

    /// Below what the pages' addresses begin with.
    package var path: String {
        switch self {
        case .overview: "/account"
        case .details: "/account/details"
        case .methods: "/account/ways"
        case .devices: "/account/devices"
        case .apps: "/account/apps"
        case .password: "/account/password"
        case .secondFactors: "/account/second-factor"
        case .deletion: "/account/delete"
        case .export: "/account/data"
        case .joining: "/login/account"
        }
    }

    /// Whether it is there in every realm, and asks people to sign in itself.
    package var isOfRealm: Bool { [.apps, .password, .secondFactors].contains(self) }
}

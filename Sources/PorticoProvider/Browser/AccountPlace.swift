import PorticoPages
import PorticoStores

/// A page of a person's own account in a realm, independent of apps.
enum AccountPlace: String, Sendable {
    case apps, devices, password, secondFactors
    /// Signing in with identity providers; the backend has that page, and the next, at these addresses.
    case methods
    /// An identity waits, to be added to the account of the person who signs in.
    case joining

    /// - Parameter name: From a form. An unknown name selects the first page.
    init(named name: String?) {
        self = name.flatMap(Self.init(rawValue:)) ?? .apps
    }

    func path(_ flow: BrowserFlow, _ context: RealmContext) -> String {
        switch self {
        case .apps: context.path(.apps)
        case .devices: context.path(.devices)
        case .password: context.path(.password)
        case .secondFactors: context.path(.secondFactors)
        case .methods: flow.elsewhere.base(context.realm.id, context.realm.name) + "/account/ways"
        case .joining: flow.elsewhere.base(context.realm.id, context.realm.name) + "/login/account"
        }
    }

    /// - Parameter waiting: An authorization request that waits.
    func path(
        _ flow: BrowserFlow,
        _ context: RealmContext,
        bringing waiting: ResumableRequest?
    ) -> String {
        path(flow, context) + (waiting.map { "?request=" + $0.sealed } ?? "")
    }

    /// Whether the page itself asks a person to sign in who has not.
    var signsIn: Bool { self != .methods && self != .joining }

    /// The purpose of the tokens in its form.
    var form: StaticString {
        switch self {
        case .apps: "connected apps"
        case .devices: "devices"
        case .password: "account password"
        case .secondFactors: "second factors"
        case .methods: "methods"
        case .joining: "joining"
        }
    }
}

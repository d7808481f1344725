import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Where people of a realm sign in with identity providers: at the backend's addresses, or below the realm's,
/// with Keycloak's names where Keycloak has them (docs/decisions/0168).
enum SignInPlace: Hashable, Sendable {
    case backend
    case realm(id: String, name: String)

    init(_ realm: Realm?) {
        self = realm.map { .realm(id: $0.id, name: $0.name) } ?? .backend
    }

    /// What its addresses begin with.
    var base: String {
        switch self {
        case .backend: ""
        case .realm(_, let name): "/realms/\(name)"
        }
    }

    var isRealm: Bool { self != .backend }

    /// Where a sign-in begins.
    func start(at provider: String) -> String {
        base + path(startingAt: provider)
    }

    /// The same, below ``base``.
    func path(startingAt provider: String) -> String {
        isRealm ? "/broker/\(provider)/login" : "/v1/auth/\(provider)"
    }

    /// Where the identity provider's answer comes in. A realm has one for both uses, as Keycloak has: no other
    /// is registered there.
    func callback(of provider: String, isLink: Bool) -> String {
        isRealm
            ? "\(base)/broker/\(provider)/endpoint"
            : "/v1/auth/\(provider)/callback" + (isLink ? "/link" : "")
    }

    func address(of path: LocalPath) -> String {
        // A realm has no dashboard: its people come to their account.
        isRealm && (path == .dashboard || path == .root) ? home : base + path.text
    }

    func address(of page: BackendPath) -> String { base + page.rawValue }

    /// Where a person starts who can do nothing else.
    var home: String { isRealm ? base + LocalPath.account.text : BackendPath.login.rawValue }

    /// Whose cookies they are: realms and the backend share a cookie jar.
    var cookieOwner: String {
        switch self {
        case .backend: "app"
        case .realm(let id, _): CookieName.owner(id)
        }
    }

    var session: CookieName {
        .session(of: isRealm ? cookieOwner : nil)
    }

    var pending: CookieName {
        .pending(of: isRealm ? cookieOwner : nil)
    }

    /// What its seals are bound to, so that nothing opens at another place.
    var sealRealm: String {
        switch self {
        case .backend: ""
        case .realm(let id, _): id
        }
    }

    /// Whose devices are known.
    var deviceRealm: String { isRealm ? sealRealm : "accounts" }

    /// The target of `return_to` (``LocalPath/asked(_:)``). In a realm it is a page of the account, or what
    /// waits for the sign-in.
    func asked(_ given: String?) -> LocalPath {
        let path = LocalPath.asked(given)
        return isRealm && !path.isOfRealm ? .dashboard : path
    }

    /// Where a person signs in who wants that page, with what is known of the sign-in before.
    func signIn(_ query: [(name: String, value: String)]) -> String {
        let path = query.first { $0.name == "return_to" }.flatMap { LocalPath($0.value) }
        let isAsked = path?.isWaiting ?? false
        guard isRealm || isAsked else {
            return FormEncoding.appending(query, to: BackendPath.login.rawValue)
        }
        // A realm's page asked for the sign-in, and says how it ended.
        let told = query.filter { $0.name != "return_to" && $0.name != "remember" }
        guard isAsked, let path else {
            return FormEncoding.appending(
                [(name: "page", value: "methods")] + told,
                to: base + LocalPath.waiting
            )
        }
        return FormEncoding.appending(told, to: base + path.text)
    }
}

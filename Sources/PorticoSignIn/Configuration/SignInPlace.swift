import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Where people of a realm sign in with identity providers: at the backend's addresses, or below the realm's,
/// with Keycloak's names where Keycloak has them (docs/decisions/0168).
package enum SignInPlace: Hashable, Sendable {
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

    func address(of page: SignInPath) -> String { base + page.rawValue }

    /// Where a person starts who can do nothing else.
    var home: String { isRealm ? base + LocalPath.account.text : SignInPath.login.rawValue }

    /// Where people sign out, where it is no page of the backend's.
    var signOut: PageLink? {
        isRealm ? PageLink(path: "\(base)/protocol/openid-connect/logout") : nil
    }

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
    ///
    /// - Parameter page: In a realm, in place of `return_to`.
    func signIn(_ query: [(name: String, value: String)], to page: AccountPlace? = nil) -> String {
        let path = query.first { $0.name == "return_to" }.flatMap { LocalPath($0.value) }
        let isAsked = path?.isWaiting ?? false
        guard isRealm || isAsked else {
            return FormEncoding.appending(query, to: SignInPath.login.rawValue)
        }
        // A realm's page asked for the sign-in, and says how it ended.
        let told = query.filter { $0.name != "return_to" && $0.name != "remember" }
        guard isAsked, let path else {
            let page = page ?? path.flatMap { $0.accountPlace(below: base) } ?? .overview
            return FormEncoding.appending(
                [(name: "page", value: page.rawValue)] + told,
                to: base + LocalPath.waiting
            )
        }
        return FormEncoding.appending(told, to: base + path.text)
    }
}

extension LocalPath {
    /// The page of the account that it is; the one that follows where it asks for a proof, or a code.
    func accountPlace(below base: String = "") -> AccountPlace? {
        let path = String(text.dropping(base) ?? text[...])
        if path.utf8.starts(with: SignInPath.confirmItsYou.rawValue.utf8) {
            let query = path.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
            // `try?`: what is no query names no page.
            let next = try? FormParameters(decoding: query)["return_to"]
            return next.flatMap { LocalPath($0)?.accountPlace() }
        }
        let plain = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        if plain.elementsEqual(SignInPath.accountEmail.rawValue.utf8) { return .details }
        return AccountPlace.allCases.first { plain.elementsEqual($0.path.utf8) }
    }
}

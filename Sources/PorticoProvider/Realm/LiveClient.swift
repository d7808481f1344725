import PorticoBytes
package import PorticoProtocol
import PorticoStores

/// A client during requests: what follows from its registration, made once.
package struct LiveClient: Sendable {
    /// The realm's and its own, without those of scopes.
    let mappers: [ClaimMapper]
    /// The roles that it sees besides its own; `nil`: every role.
    let limits: Set<RoleName>?
    private let redirects: RedirectPatterns?
    /// Those that are more than "any website": what they permit is the client's own.
    private let ownRedirects: RedirectPatterns?
    private let postLogout: RedirectPatterns?
    package let origins: OriginPatterns
    /// Of pairwise subjects; see ``PairwiseSubject/sector(of:)``.
    let sector: String?
    private let client: Client
    private let pairwise: PairwiseSubject?
    /// Where its own pages begin, an http or https address.
    let home: String?

    /// - Parameters:
    ///   - mappers: Of the realm.
    ///   - serverOrigin: What relative addresses are relative to, where the client has no root URL.
    init(_ client: Client, mappers: [ClaimMapper], limits: Set<RoleName>, serverOrigin: String) {
        self.client = client
        self.mappers = mappers + client.mappers
        self.limits = client.seesAllRoles ? nil : limits
        let root = client.rootURI ?? serverOrigin
        func patterns(_ texts: [String]) -> RedirectPatterns {
            RedirectPatterns(texts, rootURL: client.rootURI, serverOrigin: serverOrigin)
        }
        let texts = client.redirectURIs.map(\.text)
        let all = patterns(texts)
        if client.redirectRule == .patterns {
            redirects = all
            ownRedirects = patterns(texts.filter { !sameBytes($0, "*") })
            postLogout = .postLogout(
                client.postLogoutRedirectURIs.map(\.text).joined(separator: "##"),
                redirects: all,
                rootURL: client.rootURI,
                serverOrigin: serverOrigin
            )
        } else {
            (redirects, ownRedirects, postLogout) = (nil, nil, nil)
        }
        origins = OriginPatterns(client.webOrigins, redirects: all)
        sector = PairwiseSubject.sector(
            of: texts.map { $0.utf8.first == UInt8(ascii: "/") ? root + $0 : $0 }
        )
        pairwise = self.mappers.lazy.compactMap(\.pairwise).first
        home = Self.home(client, root)
    }

    /// `sub` in its tokens (OpenID Connect Core §8).
    package func subject(of personID: String) -> String {
        pairwise.map { $0(personID, own: sector, clientID: client.clientID) } ?? personID
    }

    /// Whether it has registered a redirect URI (RFC 9700 §2.1, RFC 8252 §7.3).
    package func permits(_ requested: RedirectURI) -> Bool {
        switch client.redirectRule {
        case .patterns: redirects?.permits(requested) ?? false
        case .exact: client.redirectURIs.contains { $0.permits(requested) }
        case .exactPort: client.redirectURIs.contains { $0.permitsExactPort(requested) }
        }
    }

    /// Whether what permits a redirect URI is the client's own, and not any website.
    func owns(_ requested: RedirectURI) -> Bool {
        ownRedirects?.permits(requested) ?? true
    }

    /// Exactly a registered address (RP-Initiated Logout §3). The port of a loopback IP literal may
    /// differ, as for sign-in and for the same reason: a native app learns it only once it listens (RFC
    /// 8252 §7.3, docs/decisions/0008).
    func permitsReturn(to requested: RedirectURI) -> Bool {
        postLogout?.permits(requested)
            ?? client.postLogoutRedirectURIs.contains { registered in
                registered == requested || client.type == .public && registered.permits(requested)
            }
    }

    /// It may be relative to the root URL, or be that alone.
    private static func home(_ client: Client, _ root: String) -> String? {
        let base = client.homeURI ?? ""
        let home = base.isEmpty || base.hasPrefix("/") ? root + base : base
        guard client.rootURI != nil || !base.isEmpty,
            home.utf8.count <= RedirectPattern.longest, HTTPAddress(home) != nil
        else { return nil }
        return home
    }
}

/// A client as it is kept in memory, with what was made of it.
final class CachedClient: Sendable {
    let client: Client
    let live: LiveClient
    /// What it takes, roughly, without its views.
    let bytes: Int
    private let views = Locked<[[String]: TokenView]>([:])

    /// A client has a few sets of scopes; strangers may ask for any.
    private static let mostViews = 16

    init(_ found: ClientReading.Found, live: LiveClient) {
        client = found.client
        self.live = live
        let patterns = client.redirectRule == .patterns ? 512 * client.redirectURIs.count : 0
        // Kept in tables of their own.
        let names =
            client.defaultScopes + client.optionalScopes + client.loginTokenTargets.map(\.clientID)
        bytes =
            2 * MemoryLayout<Client>.stride + MemoryLayout<LiveClient>.stride + 2048
            + 6 * found.size + patterns + 128 * found.limits.count
            + names.reduce(0) { $0 + 64 + 2 * $1.utf8.count }
            + MemoryLayout<ClaimMapper>.stride * live.mappers.count
    }

    /// The view with these scopes, by their ids, made once.
    ///
    /// - Parameter charge: Gets the bytes that a new one takes.
    func view(_ scopes: [String], make: () -> TokenView, charge: (Int) -> Void) -> TokenView {
        if let view = views.withLock({ $0[scopes] }) { return view }
        let view = make()
        let isKept = views.withLock { views in
            guard views.count < Self.mostViews else { return false }
            views[scopes] = view
            return true
        }
        if isKept { charge(view.bytes + 64 * scopes.count) }
        return view
    }
}

extension ClaimMapper {
    fileprivate var pairwise: PairwiseSubject? {
        guard case .pairwise(let pairwise) = kind else { return nil }
        return pairwise
    }
}

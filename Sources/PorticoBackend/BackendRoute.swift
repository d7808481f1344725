import HTTPTypes

/// Every address that the BFF answers at (docs/openapi.yaml).
enum BackendRoute: Hashable, Sendable {
    case start(Substring)
    case callback(Substring)
    case linkCallback(Substring)
    case token
    case refresh
    case nativeNonce(Substring)
    case native(Substring)
    case oneTap
    case backchannelLogout(Substring)
    case appleNotifications
    case facebookDeauthorize
    case facebookDataDeletion
    case session
    case logout

    case account
    case accountSessions
    case accountSession(Substring)
    case accountProviders
    case link(Substring)
    case unlink(Substring)
    case email
    case confirmEmail
    case reauthentication
    case confirmReauthentication

    /// The API's name, and the path behind it with its slash; empty for none.
    case proxy(Substring, Substring)
    case appleAssociation
    case assetLinks
    case page(BackendPageRoute)

    /// The route of a canonical path, or `nil` where nothing is there.
    static func find(_ path: String) -> BackendRoute? {
        if let page = BackendPageRoute(path: path) { return .page(page) }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch segments.first {
        case "bff":
            guard segments.count >= 2, let name = segments.dropFirst().first, !name.isEmpty else {
                return nil
            }
            return .proxy(name, path.dropFirst("/bff/".count + name.count))
        case "v1": return found(below: Array(segments.dropFirst()))
        case ".well-known":
            switch path {
            case "/.well-known/apple-app-site-association": return .appleAssociation
            case "/.well-known/assetlinks.json": return .assetLinks
            default: return nil
            }
        default: return nil
        }
    }

    private static func found(below segments: [Substring]) -> BackendRoute? {
        switch (segments.first, segments.count) {
        case ("auth", 2):
            switch segments[1] {
            case "token": .token
            case "refresh": .refresh
            case "session": .session
            case "logout": .logout
            default: .start(segments[1])
            }
        case ("auth", 3):
            switch (segments[1], segments[2]) {
            case ("google", "one-tap"): .oneTap
            case ("apple", "notifications"): .appleNotifications
            case ("facebook", "deauthorize"): .facebookDeauthorize
            case ("facebook", "data-deletion"): .facebookDataDeletion
            case (let provider, "callback"): .callback(provider)
            case (let provider, "native"): .native(provider)
            case (let provider, "backchannel-logout"): .backchannelLogout(provider)
            default: nil
            }
        case ("auth", 4):
            switch (segments[1], segments[2], segments[3]) {
            case (let provider, "callback", "link"): .linkCallback(provider)
            case (let provider, "native", "nonce"): .nativeNonce(provider)
            default: nil
            }
        case ("account", 1): .account
        case ("account", 2):
            switch segments[1] {
            case "sessions": .accountSessions
            case "providers": .accountProviders
            case "email": .email
            case "reauthentication": .reauthentication
            default: nil
            }
        case ("account", 3):
            switch (segments[1], segments[2]) {
            case ("sessions", let id): .accountSession(id)
            case ("link", let provider): .link(provider)
            case ("unlink", let provider): .unlink(provider)
            case ("email", "confirm"): .confirmEmail
            case ("reauthentication", "confirm"): .confirmReauthentication
            default: nil
            }
        default: nil
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .start, .session, .accountSessions, .accountProviders, .appleAssociation, .assetLinks:
            [.get]
        case .callback, .linkCallback: [.get, .post]
        case .token, .refresh, .nativeNonce, .native, .oneTap, .backchannelLogout,
            .appleNotifications, .facebookDeauthorize, .facebookDataDeletion, .logout, .link,
            .email, .confirmEmail, .reauthentication, .confirmReauthentication:
            [.post]
        case .account: [.get, .delete]
        case .accountSession, .unlink: [.delete]
        case .proxy: [.get, .post, .put, .patch, .delete]
        case .page(let page): page.methods
        }
    }

    /// The provider whose answer comes in here.
    var answering: Substring? {
        switch self {
        case .callback(let provider), .linkCallback(let provider): provider
        default: nil
        }
    }

    /// Whether a provider can have this name: each of its addresses leads to it, and none to something
    /// of ours (`/v1/auth/token`).
    static func admits(providerNamed name: String) -> Bool {
        let provider = name[...]
        let addresses: [(String, BackendRoute)] = [
            ("/v1/auth/\(name)", .start(provider)),
            ("/v1/auth/\(name)/callback", .callback(provider)),
            ("/v1/auth/\(name)/callback/link", .linkCallback(provider)),
            ("/v1/auth/\(name)/native", .native(provider)),
            ("/v1/auth/\(name)/native/nonce", .nativeNonce(provider)),
            ("/v1/auth/\(name)/backchannel-logout", .backchannelLogout(provider)),
            ("/v1/account/link/\(name)", .link(provider)),
            ("/v1/account/unlink/\(name)", .unlink(provider)),
        ]
        return addresses.allSatisfy { path, route in find(path) == route }
    }

    /// Whether a person sees the answer: then an error is a page, else it is JSON.
    var isForPeople: Bool {
        switch self {
        case .start, .callback, .linkCallback, .page: true
        default: false
        }
    }
}

/// The pages of the BFF by their path.
enum BackendPageRoute: String, CaseIterable, Sendable {
    case root = "/"
    case login = "/login"
    case signup = "/signup"
    /// Somebody proven is asked what an account with their address means.
    case joining = "/login/account"
    /// The code that proves a mailbox.
    case code = "/login/code"
    /// Whether the browser keeps cookies, asked where an answer finds none.
    case cookies = "/login/cookies"
    case onboarding = "/onboarding"
    case dashboard = "/dashboard"
    case signOut = "/logout"
    /// Behind a claimed https redirect whose app did not open.
    case appCallback = "/auth/callback"
    case help = "/help"
    case accountOverview = "/account"
    case accountDetails = "/account/details"
    case accountEmail = "/account/email"
    case accountWays = "/account/ways"
    case accountDevices = "/account/devices"
    case accountDelete = "/account/delete"
    /// Somebody who is signed in proves once more who they are.
    case confirmItsYou = "/account/confirm"
    /// The code that proves it.
    case confirmCode = "/account/confirm/code"

    init?(path: String) {
        self.init(rawValue: path)
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .root, .login, .signup, .cookies, .dashboard, .appCallback, .help, .accountOverview:
            [.get]
        case .joining, .code, .onboarding, .signOut, .accountDetails, .accountEmail, .accountWays,
            .accountDevices, .accountDelete, .confirmItsYou, .confirmCode:
            [.get, .post]
        }
    }
}

package import PorticoPages
import PorticoSystem

extension CookiesBlockedPage: PageWithStates {
    package static let gallery = states([
        "way on": CookiesBlockedPage(
            restart: PageLink(path: "/realms/demo/login-actions/restart?request=AbC")
        )
    ])
}

extension ErrorPage: PageWithStates {
    package static let gallery: [GalleryState] = [
        GalleryState(
            "request not understood",
            ErrorPage(
                issue: .requestNotUnderstood,
                client: "Demo",
                back: PageLink(path: "/realms/demo/account/apps"),
                details: Details(
                    code: "invalid_request",
                    description: "redirect_uri is now post_logout_redirect_uri.",
                    time: Date(timeIntervalSince1970: 1_760_000_000)
                )
            )
        ),
        state(
            "way on",
            .requestNotUnderstood,
            code: "invalid_request",
            "platform must be web or mobile.",
            back: login
        ),
        state(
            "unknown client",
            .unknownClient,
            code: "invalid_request",
            "client_id is not that of a registered client.",
            client: "notes-app"
        ),
        state(
            "unknown redirect",
            .unknownRedirect,
            code: "invalid_request",
            "redirect_uri is not one the client registered.",
            client: "notes-app"
        ),
        GalleryState(
            "account blocked",
            ErrorPage(
                issue: .accountBlocked,
                client: "Notes",
                back: PageLink(redirect: "com.example.notes:/callback?error=access_denied")
            )
        ),
        state("not allowed", .notAllowed, code: "forged_form"),
        GalleryState(
            "provider misconfigured",
            ErrorPage(issue: .providerMisconfigured(name: "Google"), back: login)
        ),
        state("busy", .busy, code: "busy"),
        state("cannot save", .cannotSave, code: "cannot_save"),
        state("server error", .serverError, code: "server_error"),
        state("too large", .tooLarge, code: "too_large"),
        state(
            "too many tries",
            .tooManyTries(seconds: 12),
            code: "rate_limited",
            "Too many sign-ins were started from this address.",
            back: login
        ),
        GalleryState("registration closed", ErrorPage(issue: .registrationClosed)),
        GalleryState("not found", ErrorPage(issue: .notFound)),
        GalleryState("method not allowed", ErrorPage(issue: .methodNotAllowed)),
    ]

    private static let login = PageLink(path: "/login")

    private static func state(
        _ name: String,
        _ issue: Issue,
        code: String,
        _ description: String? = nil,
        client: String? = nil,
        back: PageLink? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            ErrorPage(
                issue: issue,
                back: back,
                details: Details(
                    code: code,
                    description: description,
                    clientID: client,
                    time: Date(timeIntervalSince1970: 1_760_000_000)
                )
            )
        )
    }
}

extension ExpiredPage: PageWithStates {
    package static let gallery = states([
        "took too long": ExpiredPage(
            reason: .tookTooLong(minutes: 30),
            restart: PageLink(path: "/realms/demo/login-actions/restart?request=AbC")
        ),
        "answered before": ExpiredPage(
            reason: .answered,
            restart: PageLink(path: "/v1/auth/handle?platform=mobile")
        ),
        "out of date": ExpiredPage(reason: .outdated, restart: PageLink(path: "/account/details")),
        "unmatched, no way on": ExpiredPage(reason: .unmatched),
        "unmatched": ExpiredPage(
            reason: .unmatched,
            restart: PageLink(path: "/realms/demo/login-actions/restart?request=AbC")
        ),
    ])
}

extension HelpPage: PageWithStates {
    package static let gallery = states([
        "all known": HelpPage(
            operatedBy: "Example Ltd",
            contact: .email("help@example.com"),
            privacy: PageLink(https: "https://example.com/privacy"),
            terms: PageLink(https: "https://example.com/terms")
        ),
        "a page to ask": HelpPage(
            operatedBy: "Example Ltd",
            contact: PageLink(https: "https://example.com/help").map {
                .page($0, host: "example.com")
            }
        ),
        "no contact": HelpPage(operatedBy: "Example Ltd"),
    ])
}

extension NotAnsweringPage: PageWithStates {
    package static let gallery = states([
        "since a while": NotAnsweringPage(
            provider: .google,
            since: 1_795_298_400 - 720,
            now: 1_795_298_400,
            tryAgain: PageLink(path: "/v1/auth/google"),
            otherMethods: PageLink(path: "/login")
        ),
        "just now": NotAnsweringPage(
            provider: .generic,
            since: 1_795_298_400,
            now: 1_795_298_400,
            tryAgain: PageLink(path: "/v1/auth/example"),
            otherMethods: PageLink(path: "/login")
        ),
    ])
}

extension OpenInBrowserPage: PageWithStates {
    package static let gallery =
        Platform.allCases.map { platform in
            GalleryState(
                "\(platform)",
                OpenInBrowserPage(
                    provider: .google,
                    address: "https://id.example/login?return_to=%2Fdashboard",
                    platform: platform,
                    otherMethods: PageLink(path: "/login")
                )
            )
        }
}

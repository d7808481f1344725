package import PorticoPages

extension HandlePage: PageWithStates {
    package static let gallery: [GalleryState] = [
        state("asked"),
        state("known", handle: "alice.bsky.social"),
        GalleryState(
            "proposed",
            HandlePage(
                handle: "alice",
                proposals: ["alice.bsky.social"],
                fields: fields,
                app: "Notes",
                otherMethods: PageLink(path: "/login")
            )
        ),
        state("unreadable", handle: "alice bsky social", .unreadable),
        state("not found", handle: known, .notFound(handle: known)),
        state(
            "host unreachable",
            handle: known,
            .hostUnreachable(host: "a-long-name.pds.example.com")
        ),
        state(
            "host without sign-in",
            handle: "https://pds.example.com",
            .hostWithoutSignIn(host: "pds.example.com")
        ),
        state("one way", handle: known, .oneWay),
        state("other account", handle: known, .otherAccount(handle: known)),
        state("not finished", handle: known, .notFinished),
        inBrowser("denied", handle: known, .denied),
        inBrowser("expired", handle: "", .expired),
        state("too many tries", handle: known, .tooManyTries(seconds: 12)),
        state("busy", handle: known, .busy),
    ]

    private static let known = "alice.bsky.social"
    private static let fields = [
        PageField("mobile", "true"), PageField("app", "notes"),
        PageField("redirect_uri", "com.example.notes:/callback"),
    ]

    /// Where an app waits, it is told instead.
    private static func inBrowser(_ name: String, handle: String, _ problem: HandleProblem)
        -> GalleryState
    {
        GalleryState(
            name,
            HandlePage(
                handle: handle,
                problem: problem,
                fields: [PageField("remember", "1")],
                otherMethods: PageLink(path: "/login")
            )
        )
    }

    private static func state(
        _ name: String,
        handle: String = "",
        _ problem: HandleProblem? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            HandlePage(
                handle: handle,
                problem: problem,
                fields: fields,
                app: "Notes",
                otherMethods: PageLink(path: "/login")
            )
        )
    }
}

extension HandleHostPage: PageWithStates {
    package static let gallery = states([
        "of a handle": HandleHostPage(
            host: "bsky.social",
            account: "alice.bsky.social",
            proceed: PageLink(path: "/login?handle=alice.bsky.social"),
            otherHandle: PageLink(path: "/mobile-auth")
        ),
        "named": HandleHostPage(
            host: "pds.example.com",
            account: nil,
            proceed: PageLink(path: "/login?handle=https%3A%2F%2Fpds.example.com"),
            otherHandle: PageLink(path: "/mobile-auth")
        ),
    ])
}

extension HandleAgainPage: PageWithStates {
    package static let gallery = states([
        "asked": HandleAgainPage(
            host: "pds.example.com",
            first: "bsky.social",
            account: "alice.example.com",
            form: PageForm.sample.with("remember", "1")
                .with("handle", "did:plc:abcdefghijklmnopqrstuvwx").with("again", "1")
        )
    ])
}

extension HandlePopupPage: PageWithStates {
    package static let gallery = states([
        "signed in": HandlePopupPage(
            did: "did:plc:abcdefghijklmnopqrstuvwx",
            handle: "alice.bsky.social",
            nonce: "AbCdEfGhIjKlMnOpQrStUv",
            proceed: PageLink(path: "/dashboard")
        )
    ])
}

extension AccountWithoutDIDPage: PageWithStates {
    package static let gallery = states([
        "asked": AccountWithoutDIDPage(client: "reader.example", account: .sample, form: .sample)
    ])
}

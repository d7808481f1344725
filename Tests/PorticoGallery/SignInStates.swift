package import PorticoPages
import PorticoSystem

extension AccountPage: PageWithStates {
    package static let gallery = states([
        "choose": AccountPage(client: "Notes", account: .sample, reason: .choose, form: .sample),
        "other person expected": AccountPage(
            client: "Notes",
            account: .sample,
            reason: .otherPersonExpected,
            form: .sample
        ),
        "handed on by an app": AccountPage(
            client: "Notes",
            account: .sample,
            reason: .handedOn(by: "Shop"),
            form: .sample
        ),
    ])
}

extension ConfirmEmailPage: PageWithStates {
    package static let gallery = states([
        "asked": ConfirmEmailPage(address: EmailCodePage.masked("ann@example.com"), form: .sample)
    ])
}

extension ConsentPage: PageWithStates {
    package static let gallery = states([
        "registered": notes(.registered),
        "app on this device, everything": ConsentPage(
            client: "Notes",
            origin: .appOnThisDevice,
            account: .sample,
            scopes: [
                "openid", "profile", "email", "address", "phone", "offline_access",
                "notes.write:all", "roles",
            ],
            form: .sample
        ),
        "app on this device, administers": notes(.appOnThisDevice, administers: true),
        "site, no name": ConsentPage(
            client: "Some Reader",
            origin: .site(host: "reader.example"),
            account: PageAccount(name: nil, userName: "bob"),
            scopes: ["openid", "roles"],
            form: .sample
        ),
        "client for development": ConsentPage(
            client: "localhost",
            origin: .unnamedAppOnThisDevice,
            account: .sample,
            scopes: ["atproto", "transition:generic"],
            form: .sample
        ),
        "client document": atProtocol(["atproto", "transition:generic", "transition:chat.bsky"]),
        "client document, everything": atProtocol(
            [
                "atproto", "transition:email", "repo:app.bsky.feed.post?action=create",
                "repo?collection=com.example.note&collection=com.example.tag", "repo:*",
                "rpc:app.bsky.feed.getTimeline?aud=did:web:api.example.com%23appview",
                "rpc:*?aud=did:web:api.example.com%23appview",
                "rpc:com.example.search?aud=*", "blob?accept=image/*&accept=video/mp4",
                "blob:*/*", "account:email?action=manage", "account:repo",
                "account:repo?action=manage", "account:status",
                "account:status?action=manage", "identity:handle", "identity:*",
            ],
            unknown: ["space:com.example.room", "foo:bar"]
        ),
    ])
}

extension ConsentPage {
    fileprivate static func notes(_ origin: Origin, administers: Bool = false) -> ConsentPage {
        ConsentPage(
            client: "Notes",
            origin: origin,
            account: .sample,
            scopes: ["openid", "profile", "email", "roles"],
            administers: administers,
            form: .sample
        )
    }

    fileprivate static func atProtocol(_ scopes: [String], unknown: [String] = []) -> ConsentPage {
        ConsentPage(
            client: "reader.example",
            origin: .document(clientID: "https://reader.example/client-metadata.json"),
            account: .sample,
            scopes: scopes,
            unknown: unknown,
            form: .sample
        )
    }
}

extension FormPostPage: PageWithStates {
    package static let gallery: [GalleryState] =
        PageLink(redirect: "https://notes.example/callback").map {
            [
                GalleryState(
                    "answer",
                    FormPostPage(
                        client: "Notes",
                        action: $0,
                        parameters: [
                            Parameter("code", "AbC_123-xyz"),
                            Parameter("session_state", "8d0b3c6e"),
                            Parameter("state", "a&b=\"c\""),
                            Parameter("iss", "https://id.example/realms/demo"),
                        ]
                    )
                )
            ]
        } ?? []
}

extension SecondStepPage: PageWithStates {
    package static let gallery: [GalleryState] = [
        state("app", .app),
        state("app, no recovery codes", .app, hasOther: false),
        state("app, code missing", .app, problem: .missing),
        state("app, wrong code", .app, problem: .wrong),
        state("app, used code", .app, problem: .used),
        state("must wait", .app, problem: .mustWait(seconds: 180)),
        state("recovery code", .recovery),
        state("recovery code, no app", .recovery, hasOther: false),
        state("recovery code missing", .recovery, problem: .missing),
        state("wrong recovery code", .recovery, problem: .wrong),
        state("used recovery code", .recovery, problem: .used),
    ]

    private static func state(
        _ name: String,
        _ way: Way,
        hasOther: Bool = true,
        problem: Problem? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            SecondStepPage(
                client: "Notes",
                form: .sample.with("proof", "AaBbCcDdEeFf_0123456789").with("way", way.rawValue),
                way: way,
                hasOther: hasOther,
                problem: problem
            )
        )
    }
}

extension SignInPage: PageWithStates {
    package static let gallery: [GalleryState] = [
        state("fresh"),
        state("name known", userName: "ann@example.com"),
        state("wrong pair", userName: "ann@example.com", problem: .wrongPair),
        state("both missing", problem: .missing(userName: true, password: true)),
        state(
            "password missing",
            userName: "ann",
            problem: .missing(userName: false, password: true)
        ),
        state("must wait", userName: "ann", problem: .mustWait(seconds: 45)),
        state("busy", userName: "ann", problem: .busy),
        state("took too long", userName: "alice", problem: .tookTooLong),
        GalleryState(
            "password can be replaced",
            SignInPage(
                client: "Notes",
                form: .sample,
                forgot: newPassword
            )
        ),
        GalleryState(
            "an account can be made",
            SignInPage(client: "Notes", form: .sample, registers: true)
        ),
        GalleryState(
            "another may be signed in",
            SignInPage(client: "Notes", form: .sample, endsAnother: true)
        ),
        GalleryState(
            "providers, too",
            SignInPage(client: "Notes", form: .sample, forgot: newPassword, methods: allMethods)
        ),
        GalleryState(
            "providers only",
            SignInPage(client: "Notes", form: .sample, takesPassword: false, methods: allMethods)
        ),
        GalleryState(
            "no method",
            SignInPage(client: "Notes", form: .sample, takesPassword: false)
        ),
        GalleryState(
            "stopped at a provider",
            SignInPage(
                client: "Notes",
                form: .sample,
                failure: .cancelled(.google),
                forgot: newPassword,
                methods: allMethods
            )
        ),
        state("again", userName: "ann@example.com", again: true),
        state("again, wrong pair", userName: "ann", again: true, problem: .wrongPair),
    ]

    private static let newPassword = PageLink(
        path: "/realms/demo/login-actions/reset-credentials"
    )
    private static let allMethods: [SignInMethod] = [.google, .facebook, .apple, .example]

    private static func state(
        _ name: String,
        userName: String = "",
        again: Bool = false,
        problem: Problem? = nil
    ) -> GalleryState {
        GalleryState(
            name,
            SignInPage(
                client: "Notes",
                form: .sample,
                userName: userName,
                again: again,
                problem: problem
            )
        )
    }
}

extension SignOutPage: PageWithStates {
    package static let gallery = states([
        "asked by a client": SignOutPage(client: "Notes", account: .sample, form: .sample),
        "asked by a client, elsewhere": SignOutPage(
            client: "Notes",
            account: nil,
            isElsewhere: true,
            form: .sample
        ),
        "refused, and still signed in": SignOutPage(
            client: "Notes",
            account: .sample,
            trouble: Trouble(
                .unknownRedirect,
                ErrorPage.Details(
                    code: "invalid_request",
                    description: "post_logout_redirect_uri is not one the client registered.",
                    clientID: "notes-app",
                    time: Date(timeIntervalSince1970: 1_760_000_000)
                )
            ),
            form: .sample
        ),
        "asked by an unknown client": SignOutPage(client: nil, account: .sample, form: .sample),
    ])
}

extension SignedOutPage: PageWithStates {
    package static let gallery = states([
        "signed out": SignedOutPage(outcome: .signedOut),
        "was not signed in, link back": SignedOutPage(
            outcome: .wasNotSignedIn,
            client: "Notes",
            back: PageLink(redirect: "https://notes.example/goodbye?state=1&x=2")
        ),
        "was not signed in": SignedOutPage(outcome: .wasNotSignedIn),
        "stayed": SignedOutPage(
            outcome: .stayed,
            client: "Notes",
            back: PageLink(redirect: "https://notes.example/")
        ),
    ])
}

extension StartPage: PageWithStates {
    package static let gallery = states(["start": StartPage()])
}

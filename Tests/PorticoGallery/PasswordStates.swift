package import PorticoPages

extension CodeForOtherBrowserPage: PageWithStates {
    package static let gallery = [
        GalleryState("asked", CodeForOtherBrowserPage(state: .asking(.sample))),
        GalleryState("code", CodeForOtherBrowserPage(state: .code("481 052", minutes: 10))),
    ]
}

extension ForgotPasswordPage: PageWithStates {
    package static let gallery =
        [
            GalleryState("asked", ForgotPasswordPage(state: .asking, form: .sample)),
            GalleryState(
                "e-mail known",
                ForgotPasswordPage(state: .asking, email: "ann@example.com", form: .sample)
            ),
            GalleryState(
                "e-mail missing",
                ForgotPasswordPage(state: .emailMissing, email: "ann", form: .sample)
            ),
            GalleryState(
                "sent",
                ForgotPasswordPage(
                    state: .sent(to: "ann@example.com"),
                    form: .sample,
                    back: PageLink(path: "/realms/demo/login-actions/restart")
                )
            ),
        ]
        + [("code missing", .missing), ("wrong code", .wrong), ("too many codes", .tooMany)]
        .map { (name: String, problem: CodeProblem) in
            GalleryState(
                name,
                ForgotPasswordPage(
                    state: .sent(to: "ann@example.com", problem: problem),
                    form: .sample,
                    back: PageLink(path: "/realms/demo/login-actions/restart")
                )
            )
        }
}

extension NewPasswordPage: PageWithStates {
    package static let gallery =
        [
            ("asked", nil), ("missing", .missing), ("too short", .tooShort),
            ("too long", .tooLong), ("too common", .tooCommon), ("name in it", .hasName),
        ]
        .map { (name: String, problem: Problem?) in
            GalleryState(
                name,
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 8,
                    form: .sample,
                    problem: problem
                )
            )
        } + [
            GalleryState(
                "can be cancelled",
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 8,
                    form: .sample,
                    canCancel: true
                )
            ),
            GalleryState(
                "demanded",
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 8,
                    form: .sample,
                    isDemanded: true
                )
            ),
            GalleryState(
                "the same",
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 8,
                    form: .sample,
                    problem: .same,
                    isDemanded: true
                )
            ),
            GalleryState(
                "in the account",
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 8,
                    form: .sample,
                    canCancel: true,
                    navigation: .sampleOfRealm
                )
            ),
            GalleryState(
                "by a mailed link",
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 8,
                    form: .sample,
                    mailed: Mailed(account: "ann")
                )
            ),
            GalleryState(
                "to confirm an address",
                NewPasswordPage(
                    userName: "ann@example.com",
                    leastCharacters: 8,
                    form: .sample,
                    mailed: Mailed(
                        account: "ann",
                        confirms: "ann@example.com",
                        signIn: PageLink(path: "/realms/demo/account/apps")
                    )
                )
            ),
        ]
}

extension ChangedPasswordPage: PageWithStates {
    package static let gallery = [
        GalleryState(
            "changed",
            ChangedPasswordPage(account: .sample, navigation: .sampleOfRealm)
        )
    ]
}

extension PasswordLinkPage: PageWithStates {
    package static let gallery = Outcome.allCases.map { outcome in
        GalleryState(
            "\(outcome)",
            PasswordLinkPage(
                outcome: outcome,
                next: PageLink(
                    path: "/realms/demo/login-actions/"
                        + (outcome == .done ? "restart" : "reset-credentials")
                )
            )
        )
    }
}

extension ActionLinkPage: PageWithStates {
    package static let gallery = [
        GalleryState(
            "asked",
            ActionLinkPage(
                state: .asking(address: "ann@example.com", account: "ann", .sample)
            )
        ),
        GalleryState("app demanded", ActionLinkPage(state: .demanding(account: "ann", .sample))),
        GalleryState(
            "app to be set up",
            ActionLinkPage(
                state: .demanded(PageLink(path: "/realms/demo/account/second-factor"))
            )
        ),
        GalleryState(
            "confirmed",
            ActionLinkPage(state: .confirmed(PageLink(path: "/realms/demo/account/apps")))
        ),
        GalleryState("over", ActionLinkPage(state: .over)),
    ]
}

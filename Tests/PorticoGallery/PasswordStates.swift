package import PorticoPages

extension CodeForOtherBrowserPage: PageWithStates {
    package static let gallery = states([
        "asked": CodeForOtherBrowserPage(state: .asking(.sample)),
        "code": CodeForOtherBrowserPage(state: .code("481 052", minutes: 10)),
    ])
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
    package static let gallery = states([
        "changed": ChangedPasswordPage(account: .sample, navigation: .sampleOfRealm)
    ])
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
    package static let gallery = states([
        "asked": ActionLinkPage(
            state: .asking(address: "ann@example.com", account: "ann", .sample)
        ),
        "app demanded": ActionLinkPage(state: .demanding(account: "ann", .sample)),
        "app to be set up": ActionLinkPage(
            state: .demanded(PageLink(path: "/realms/demo/account/second-factor"))
        ),
        "confirmed": ActionLinkPage(state: .confirmed(PageLink(path: "/realms/demo/account/apps"))),
        "over": ActionLinkPage(state: .over),
    ])
}

extension RegistrationPage: PageWithStates {
    package static let gallery: [GalleryState] = [
        state("fresh"),
        state("the address is the username", userName: false),
        state("no address", email: false),
        state(
            "everything missing",
            [.givenNameMissing, .emailMissing, .userNameMissing, .password(.missing)]
        ),
        state(
            "everything wrong",
            [.givenNameWrong, .familyNameWrong, .emailWrong, .userNameWrong, .password(.tooShort)]
        ),
        state("username taken", [.userNameTaken]),
        state("address taken", [.emailTaken]),
        state("must wait", [.mustWait(seconds: 120)]),
        state("busy", [.busy]),
    ]

    private static func state(
        _ name: String,
        _ problems: [Problem] = [],
        email: Bool = true,
        userName: Bool = true
    ) -> GalleryState {
        var entries = Entries()
        if !problems.isEmpty, problems.first != .givenNameMissing {
            entries.givenName = "Ann"
            entries.familyName = "Example"
            entries.email = "ann@example.com"
            entries.userName = "ann"
        }
        return GalleryState(
            name,
            RegistrationPage(
                client: "Notes",
                form: .sample,
                entries: entries,
                asksForEmail: email,
                asksForUserName: userName,
                leastCharacters: 8,
                problems: problems
            )
        )
    }
}

extension SecondFactorsPage: PageWithStates {
    private static let app = App(id: "1", addedAt: 1_798_800_000)
    private static let other = App(id: "2", addedAt: 1_798_800_000)

    package static let gallery = [
        state("none", []),
        state("demanded", [], waiting: true, isDemanded: true),
        state("added", [app, other], codes: Codes(id: "3", left: 12), status: .added),
        state(
            "added, on the way to an app",
            [app],
            codes: Codes(id: "3", left: 11),
            status: .added,
            waiting: true
        ),
        state("two apps and codes", [app, other], codes: Codes(id: "3", left: 11)),
        state("removed", [], status: .removed),
        state("codes alone", [], codes: Codes(id: "3", left: 1)),
        state("full", Array(repeating: app, count: 10), status: .full),
    ]

    private static func state(
        _ name: String,
        _ apps: [App],
        codes: Codes? = nil,
        status: Status? = nil,
        waiting: Bool = false,
        isDemanded: Bool = false
    ) -> GalleryState {
        GalleryState(
            name,
            SecondFactorsPage(
                account: .sample,
                apps: apps,
                codes: codes,
                form: .sample,
                status: status,
                goOn: waiting ? PageLink(path: "/realms/demo/login-actions/restart") : nil,
                isDemanded: isDemanded,
                signOut: PageLink(path: "/realms/demo/protocol/openid-connect/logout"),
                navigation: .sampleOfRealm
            )
        )
    }
}

extension AuthenticatorSetupPage: PageWithStates {
    package static let gallery = [
        state("asked"), state("missing", .missing), state("wrong code", .wrong),
    ]

    private static func state(_ name: String, _ problem: Problem? = nil) -> GalleryState {
        GalleryState(
            name,
            AuthenticatorSetupPage(
                key: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
                link: PageLink(
                    redirect: "otpauth://totp/Demo:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                ),
                form: PageForm.sample.with("setup", "AaBbCcDdEeFf_0123456789"),
                problem: problem
            )
        )
    }
}

extension AppAddedPage: PageWithStates {
    package static let gallery = states([
        "added": AppAddedPage(
            form: .sample,
            later: PageLink(path: "/realms/demo/account/second-factor")
        )
    ])
}

extension RecoveryCodesPage: PageWithStates {
    package static let gallery = states([
        "made": RecoveryCodesPage(
            account: .sample,
            codes: sampleCodes,
            done: PageLink(path: "/realms/demo/account/second-factor")
        ),
        "made again": RecoveryCodesPage(
            account: .sample,
            codes: sampleCodes,
            replacesOthers: true,
            done: PageLink(path: "/realms/demo/account/second-factor")
        ),
    ])

    private static let sampleCodes = (0..<12).map { "K6YY5KVQ" + String(2345 + $0) }
}

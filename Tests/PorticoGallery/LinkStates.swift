package import PorticoPages

extension AddMethodPage: PageWithStates {
    package static let gallery = states([
        "asked": AddMethodPage(
            newMethod: .apple,
            identity: "Ann Example (\(EmailCodePage.masked("ann@example.com")))",
            account: .sample,
            form: .sample
        )
    ])
}

extension ConfirmItsYouPage: PageWithStates {
    package static let gallery: [GalleryState] =
        Reason.allCases.map { reason in
            GalleryState(
                "\(reason)",
                ConfirmItsYouPage(
                    reason: reason,
                    account: .sample,
                    methods: [.example],
                    mailbox: EmailCodePage.masked("ann@example.com"),
                    form: reason == .other ? .sample : .sample.with("for", "\(reason)")
                )
            )
        } + [
            GalleryState(
                "mailbox only",
                ConfirmItsYouPage(
                    reason: .other,
                    account: .sample,
                    methods: [],
                    mailbox: EmailCodePage.masked("ann@example.com"),
                    form: .sample
                )
            ),
            GalleryState(
                "with a password",
                ConfirmItsYouPage(
                    reason: .deleting,
                    account: .sample,
                    methods: [],
                    hasPassword: true,
                    mailbox: EmailCodePage.masked("ann@example.com"),
                    form: .sample.with("for", "deleting")
                )
            ),
            GalleryState(
                "not asked again",
                ConfirmItsYouPage(
                    reason: .adding,
                    account: .sample,
                    methods: [.example],
                    mailbox: EmailCodePage.masked("ann@example.com"),
                    form: .sample.with("for", "adding"),
                    problem: .notReauthenticated(.generic)
                )
            ),
            GalleryState(
                "internet handle",
                ConfirmItsYouPage(
                    reason: .other,
                    account: PageAccount(name: nil, userName: "ann.example.com"),
                    methods: [.handle],
                    form: .sample
                )
            ),
            GalleryState(
                "no method",
                ConfirmItsYouPage(
                    reason: .other,
                    account: PageAccount(name: nil, userName: "Ann Example"),
                    methods: [],
                    form: .sample
                )
            ),
        ]
}

extension FoundAccountPage: PageWithStates {
    package static let gallery = states([
        "one method": FoundAccountPage(
            newMethod: .apple,
            knownMethods: [.google],
            mailbox: "a…@example.com",
            canSeparate: true,
            form: .sample
        ),
        "several methods, no new accounts": FoundAccountPage(
            newMethod: .apple,
            knownMethods: [.google, .facebook, .example],
            mailbox: "a…@example.com",
            form: .sample
        ),
        "stopped": FoundAccountPage(
            newMethod: .facebook,
            knownMethods: [.google],
            mailbox: "a…@example.com",
            canSeparate: true,
            form: .sample,
            notice: .stopped(.google)
        ),
        "not asked again": FoundAccountPage(
            newMethod: .facebook,
            knownMethods: [.example],
            mailbox: "a…@example.com",
            expelsOthers: true,
            canSeparate: true,
            form: .sample,
            notice: .notReauthenticated(.generic)
        ),
        "address not proven": FoundAccountPage(
            newMethod: .google,
            knownMethods: [.facebook],
            mailbox: "a…@example.com",
            expelsOthers: true,
            canSeparate: true,
            form: .sample
        ),
        "mailbox only": FoundAccountPage(
            newMethod: .facebook,
            knownMethods: [],
            mailbox: "a…@example.com",
            canSeparate: true,
            form: .sample
        ),
        "with a password": FoundAccountPage(
            newMethod: .google,
            knownMethods: [],
            mailbox: "a…@example.com",
            expelsOthers: true,
            hasPassword: true,
            canSeparate: true,
            form: .sample
        ),
        "second of its provider": FoundAccountPage(
            newMethod: .google,
            knownMethods: [],
            canSeparate: true,
            form: .sample
        ),
    ])
}

extension IdentityTakenPage: PageWithStates {
    package static let gallery = states([
        "other account": IdentityTakenPage(method: .apple, form: .sample),
        "generic": IdentityTakenPage(method: .generic, form: .sample),
        "second of a provider": IdentityTakenPage(
            method: .google,
            reason: .secondOfProvider,
            form: .sample
        ),
    ])
}

extension RelayPage: PageWithStates {
    package static let gallery = states(["asked": RelayPage(provider: .apple, form: .sample)])
}

extension WelcomePage: PageWithStates {
    package static let gallery: [GalleryState] = [
        state("e-mail confirmed", .verified("ann@example.com")),
        state("terms", .verified("ann@example.com"), terms: "https://example.com/terms"),
        state("e-mail unverified", .unverified("ann@example.com"), .facebook),
        state("e-mail missing", .missing, .facebook),
        state("relay", .relay("x7k2q@privaterelay.appleid.com"), .apple),
        state("name missing", .relay("x7k2q@privaterelay.appleid.com"), .apple, name: ""),
        state("nothing given", .missing, .facebook, [.nameMissing, .emailMissing], name: ""),
        state("e-mail wrong", .unverified("ann@"), .facebook, [.emailWrong]),
    ]

    private static func state(
        _ state: String,
        _ email: Email,
        _ provider: MethodLabel = .google,
        _ problems: [Problem] = [],
        name: String = "Ann Example",
        terms: String? = nil
    ) -> GalleryState {
        GalleryState(
            state,
            WelcomePage(
                name: name,
                email: email,
                provider: provider,
                form: .sample,
                problems: problems,
                terms: terms.flatMap { PageLink(https: $0) }
            )
        )
    }
}

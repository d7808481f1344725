package import PorticoPages

extension ChooseMethodPage.Problem {
    static let gallery: [(name: String, problem: ChooseMethodPage.Problem)] = [
        ("cancelled", .cancelled(.google)),
        ("took too long", .tookTooLong),
        ("unmatched", .unmatched),
        ("not answering", .notAnswering(.google)),
        ("a provider is not answering", .notAnswering(nil)),
        ("misconfigured", .misconfigured(.generic)),
        ("organisation denies", .organisationDenies),
        ("sign-up closed", .signUpClosed),
        ("account blocked", .accountBlocked),
        ("e-mail unverified", .emailUnverified),
        ("link required", .linkRequired(.google)),
        ("sign in again", .signInAgain),
        ("not asked again", .notReauthenticated(.generic)),
        ("failed", .failed(.facebook)),
        ("failed for no known reason", .failed(nil)),
    ]
}

extension ChooseMethodPage: PageWithStates {
    package static let gallery: [GalleryState] =
        [
            GalleryState(
                "sign in",
                page(
                    .signIn,
                    methods: SignInMethod.samples.map {
                        method($0, isLastUsed: $0.name == "facebook")
                    },
                    isRemembered: true,
                    fields: [PageField("return_to", "/orders")]
                )
            ),
            GalleryState("sign in for an app", page(.signIn, app: "Notes", fields: handOff)),
            GalleryState("sign up", page(.signUp)),
            GalleryState("sign up for an app", page(.signUp, app: "Notes", fields: handOff)),
            GalleryState("not responding", page(.signIn, methods: withoutGoogle)),
            GalleryState("no methods", page(.signIn, methods: [])),
            GalleryState(
                "with a password",
                page(
                    .signIn,
                    password: PageLink(
                        path: "/realms/demo/login-actions/signed-in?return_to=%2Forders"
                    ),
                    fields: [PageField("return_to", "/orders")]
                )
            ),
            GalleryState(
                "with an internet handle",
                page(.signIn, methods: SignInMethod.samples + [.handle])
            ),
        ]
        + Problem.gallery.map { name, problem in
            let isOut = problem == .notAnswering(.google)
            return GalleryState(
                name,
                page(
                    .signIn,
                    methods: isOut ? withoutGoogle : SignInMethod.samples,
                    problem: problem
                )
            )
        }

    private static let withoutGoogle = SignInMethod.samples.map {
        method($0, isNotResponding: $0.name == "google")
    }

    private static let handOff = [
        PageField("platform", "mobile"), PageField("app", "notes"),
        PageField("redirect_uri", "com.example.notes:/callback"),
        PageField("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        PageField("code_challenge_method", "S256"), PageField("state", "s"),
    ]

    private static func method(
        _ method: SignInMethod,
        isLastUsed: Bool = false,
        isNotResponding: Bool = false
    ) -> SignInMethod {
        SignInMethod(
            name: method.name,
            label: method.label,
            action: method.action,
            isLastUsed: isLastUsed,
            isNotResponding: isNotResponding
        )
    }

    private static func page(
        _ mode: Mode,
        app: String? = nil,
        methods: [SignInMethod] = SignInMethod.samples,
        password: PageLink? = nil,
        isRemembered: Bool = false,
        fields: [PageField] = [],
        problem: Problem? = nil
    ) -> ChooseMethodPage {
        ChooseMethodPage(
            mode: mode,
            app: app,
            methods: methods,
            password: password,
            isRemembered: isRemembered,
            fields: fields,
            problem: problem,
            // No one is invited to what is closed, or not there.
            otherMode: mode == .signIn && (methods.isEmpty || problem == .signUpClosed)
                ? nil : PageLink(path: mode == .signIn ? "/signup" : "/login")
        )
    }
}

extension EmailCodePage: PageWithStates {
    package static let gallery: [GalleryState] = [
        state("asked"),
        GalleryState(
            "sent again",
            EmailCodePage(address: masked("ann@example.com"), form: .sample, wasResent: true)
        ),
        GalleryState(
            "for an account that was found",
            EmailCodePage(
                address: masked("ann@example.com"),
                form: .sample,
                canChangeAddress: false
            )
        ),
        state("missing", .missing),
        state("wrong", .wrong(triesLeft: 3)),
        state("wrong, last try", .wrong(triesLeft: 1)),
        state("expired", .expired),
        state("used", .used),
        state("too many", .tooMany),
    ]

    private static func state(_ name: String, _ problem: Problem? = nil) -> GalleryState {
        GalleryState(
            name,
            EmailCodePage(address: masked("ann@example.com"), form: .sample, problem: problem)
        )
    }
}

package import PorticoBytes

/// How to sign in, or with what to make an account: a button for each identity provider.
///
/// It is one form, sent by GET to the address of the button, with `fields` and `remember=1` where
/// the box is ticked. Nothing is changed by that, so it carries no token.
package struct ChooseMethodPage: Page {
    package enum Mode: Sendable, Equatable {
        case signIn, signUp
    }

    package let mode: Mode
    /// The asking app's name; `nil` for the service itself.
    package let app: String?
    /// In the order that the operator set.
    package let ways: [SignInMethod]
    /// Whether the box is ticked.
    package let isRemembered: Bool
    /// What the request carries on: `return_to`, or `platform`, `app`, `redirect_uri`, …
    package let fields: [PageField]
    package let problem: Problem?
    /// The same page in its other mode.
    package let otherMode: PageLink?

    package init(
        mode: Mode,
        app: String? = nil,
        ways: [SignInMethod],
        isRemembered: Bool = false,
        fields: [PageField] = [],
        problem: Problem? = nil,
        otherMode: PageLink? = nil
    ) {
        self.mode = mode
        self.app = app
        self.ways = ways
        self.isRemembered = isRemembered
        self.fields = fields
        self.problem = problem
        self.otherMode = otherMode
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        mode == .signIn
            ? words.choose.signIn(app ?? frame.owner) : words.choose.signUp(app ?? frame.owner)
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        problem.map { problem in
            let told = words.problem(problem)
            return ErrorSummary(
                summaryTitle: told.title,
                items: [.init(text: told.sentence, field: nil)]
            )
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let choose = words.choose
        let isSignIn = mode == .signIn
        let intro =
            ways.isEmpty
            ? choose.noWays : isSignIn ? choose.signInIntro : choose.signUpIntro
        return HTML([
            .line(intro),
            .element(
                .form,
                to: PageLink(path: isSignIn ? "/login" : "/signup"),
                [.method: "get"],
                .hidden(fields),
                ways.isEmpty
                    ? nil : .check("remember", choose.remember, isChecked: isRemembered),
                ways.isEmpty
                    ? nil
                    : .ways(
                        ways,
                        title: isSignIn ? choose.waysToSignIn : choose.waysToSignUp,
                        posts: false,
                        words.way,
                        frame.theme
                    )
            ),
            otherMode.map { link in
                let step = PageStep(link, isSignIn ? choose.toSignUp : choose.toSignIn)
                return .element(
                    .p,
                    [.class: "small"],
                    (isSignIn ? choose.isNew : choose.isKnown).html,
                    .text(" "),
                    step.html()
                )
            },
        ])
    }
}

extension ChooseMethodPage {
    package static let gallery: [GalleryState] =
        [
            GalleryState(
                "sign in",
                page(
                    .signIn,
                    ways: SignInMethod.samples.map { way($0, isLastUsed: $0.name == "facebook") },
                    isRemembered: true,
                    fields: [PageField("return_to", "/orders")]
                )
            ),
            GalleryState(
                "sign in for an app",
                page(.signIn, app: "Notes", fields: handOff)
            ),
            GalleryState("sign up", page(.signUp)),
            GalleryState("sign up for an app", page(.signUp, app: "Notes", fields: handOff)),
            GalleryState("not responding", page(.signIn, ways: withoutGoogle)),
            GalleryState("no ways", page(.signIn, ways: [])),
        ]
        + Problem.gallery.map { name, problem in
            let isOut = problem == .notAnswering(.google)
            return GalleryState(
                name,
                page(.signIn, ways: isOut ? withoutGoogle : SignInMethod.samples, problem: problem)
            )
        }

    private static let withoutGoogle = SignInMethod.samples.map {
        way($0, isNotResponding: $0.name == "google")
    }

    private static let handOff = [
        PageField("platform", "mobile"), PageField("app", "notes"),
        PageField("redirect_uri", "com.example.notes:/callback"),
        PageField("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        PageField("code_challenge_method", "S256"), PageField("state", "s"),
    ]

    private static func way(
        _ way: SignInMethod,
        isLastUsed: Bool = false,
        isNotResponding: Bool = false
    ) -> SignInMethod {
        SignInMethod(
            name: way.name,
            label: way.label,
            action: way.action,
            isLastUsed: isLastUsed,
            isNotResponding: isNotResponding
        )
    }

    private static func page(
        _ mode: Mode,
        app: String? = nil,
        ways: [SignInMethod] = SignInMethod.samples,
        isRemembered: Bool = false,
        fields: [PageField] = [],
        problem: Problem? = nil
    ) -> ChooseMethodPage {
        ChooseMethodPage(
            mode: mode,
            app: app,
            ways: ways,
            isRemembered: isRemembered,
            fields: fields,
            problem: problem,
            otherMode: PageLink(path: mode == .signIn ? "/signup" : "/login")
        )
    }
}

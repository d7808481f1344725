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
    package let methods: [SignInMethod]
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
        methods: [SignInMethod],
        isRemembered: Bool = false,
        fields: [PageField] = [],
        problem: Problem? = nil,
        otherMode: PageLink? = nil
    ) {
        self.mode = mode
        self.app = app
        self.methods = methods
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
        problem?.told(words)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let choose = words.choose
        let isSignIn = mode == .signIn
        let intro =
            methods.isEmpty
            ? choose.noMethods : isSignIn ? choose.signInIntro : choose.signUpIntro
        return HTML([
            .line(intro),
            .element(
                .form,
                to: PageLink(path: isSignIn ? "/login" : "/signup"),
                [.method: "get"],
                .hidden(fields),
                methods.isEmpty
                    ? nil : .check("remember", choose.remember, isChecked: isRemembered),
                methods.isEmpty
                    ? nil
                    : .methods(
                        methods,
                        title: isSignIn ? choose.signInMethods : choose.signUpMethods,
                        posts: false,
                        words.method,
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

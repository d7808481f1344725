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
    /// Where people sign in with a password.
    package let password: PageLink?
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
        password: PageLink? = nil,
        isRemembered: Bool = false,
        fields: [PageField] = [],
        problem: Problem? = nil,
        otherMode: PageLink? = nil
    ) {
        self.mode = mode
        self.app = app
        self.methods = methods
        self.password = password
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
            methods.isEmpty && password == nil
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
            .steps([PageStep(password, words.linking.byPassword)]),
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
    /// Why a person is back at the choice. The provider is `nil` where it is not known which it was.
    package enum Problem: Sendable, Equatable {
        /// The person stopped at the provider's.
        case cancelled(MethodLabel?)
        case tookTooLong
        /// Started in another browser, or the cookie was not kept.
        case unmatched
        case notAnswering(MethodLabel?)
        /// An operator has to put a setting right.
        case misconfigured(MethodLabel?)
        /// The administrator of the person's organisation does not allow this app.
        case organisationDenies
        case signUpClosed
        case accountBlocked
        case emailUnverified
        /// There is an account with this e-mail: it is signed in to first.
        case linkRequired(MethodLabel?)
        case signInAgain
        /// The provider was to ask who the person is, and answered by a session that it had.
        case notReauthenticated(MethodLabel?)
        /// Something of ours, or nothing that is known.
        case failed(MethodLabel?)

        /// What `/login?error=E&reason=R` means. What is not known is `.failed`.
        ///
        /// - Parameter provider: From our own settings, never from the address.
        package init(error: String, reason: String?, provider: MethodLabel?) {
            self =
                Self.known(reason ?? "", provider) ?? Self.known(error, provider)
                ?? .failed(provider)
        }

        /// Reasons are narrower than errors, so they are asked first.
        private static func known(_ code: String, _ provider: MethodLabel?) -> Self? {
            switch code {
            case "user_denied_permission", "access_denied", "user_denied",
                "user_cancelled_authorize", "cancelled":
                .cancelled(provider)
            case "expired", "flow_expired": .tookTooLong
            case "unknown", "invalid_state", "state_missing", "state_mismatch": .unmatched
            case "provider_unreachable", "provider_error", "temporarily_unavailable":
                .notAnswering(provider)
            case "provider_misconfigured", "invalid_client", "unauthorized_client",
                "redirect_uri_mismatch":
                .misconfigured(provider)
            case "admin_policy", "admin_policy_enforced", "org_internal", "organisation":
                .organisationDenies
            case "signup_closed", "sign_up_closed": .signUpClosed
            case "account_blocked": .accountBlocked
            case "email_unverified": .emailUnverified
            case "link_required": .linkRequired(provider)
            case "not_reauthenticated": .notReauthenticated(provider)
            case "login_required", "interaction_required", "insufficient_user_authentication",
                "session_expired":
                .signInAgain
            default: nil
            }
        }

        func told(_ words: Words) -> ErrorSummary {
            let told = words.problem(self)
            let values = ["provider": Template.Value.words(words.method.name(provider))]
            return ErrorSummary(
                summaryTitle: told.title(values),
                items: [.init(text: told.sentence(values), field: nil)]
            )
        }

        private var provider: MethodLabel? {
            switch self {
            case .cancelled(let provider), .notAnswering(let provider),
                .misconfigured(let provider), .linkRequired(let provider),
                .notReauthenticated(let provider), .failed(let provider):
                provider
            case .tookTooLong, .unmatched, .organisationDenies, .signUpClosed, .accountBlocked,
                .emailUnverified, .signInAgain:
                nil
            }
        }
    }
}

/// A sign-in method: an identity provider, as a button shows it.
package struct SignInMethod: Sendable, Equatable {
    /// What routes name it by.
    package let name: String
    package let label: MethodLabel
    /// The path that starts it; not used where a form posts the name.
    package let action: String
    /// This browser signed in with it last.
    package let isLastUsed: Bool
    /// It is still offered: only trying shows whether it answers.
    package let isNotResponding: Bool
    /// Only who is led there signs in with it: no sign-in page offers it.
    package let isHidden: Bool

    package init(
        name: String,
        label: MethodLabel,
        action: String = "",
        isLastUsed: Bool = false,
        isNotResponding: Bool = false,
        isHidden: Bool = false
    ) {
        self.name = name
        self.label = label
        self.action = action
        self.isLastUsed = isLastUsed
        self.isNotResponding = isNotResponding
        self.isHidden = isHidden
    }
}

/// What people call an identity provider, in its vendor's own words where it has some.
package struct MethodLabel: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case google, facebook, apple, generic
        /// Any host of the AT Protocol.
        case handle
    }

    package static let handle = MethodLabel(kind: .handle, displayName: "AT Protocol")

    package let kind: Kind
    package let displayName: String

    package init(kind: Kind, displayName: String) {
        self.kind = kind
        self.displayName = displayName
    }
}

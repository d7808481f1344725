package import PorticoBytes

/// A new account, in place of signing in with one.
///
/// The form posts `request`, `csrf`, `given_name`, `family_name`, `email` and `username` where they
/// are asked for, `password` and `action`, which is `create`, `switch` (sign in with an account) or
/// `cancel`.
package struct RegistrationPage: Page {
    /// What was typed; the password is typed again.
    package struct Entries: Sendable, Equatable {
        package var givenName = ""
        package var familyName = ""
        package var email = ""
        package var userName = ""

        package init() {}
    }

    package enum Problem: Sendable, Equatable {
        case givenNameMissing, givenNameWrong
        case familyNameWrong
        case emailMissing, emailWrong
        /// Told only to people who have proven that it is theirs.
        case emailTaken
        case userNameMissing, userNameWrong, userNameTaken
        case password(NewPasswordPage.Problem)
        case mustWait(seconds: Int)
        /// Too many passwords are being checked (503).
        case busy
    }

    /// The asking client's name.
    package let client: String
    package let form: PageForm
    package let entries: Entries
    package let asksForEmail: Bool
    package let asksForUserName: Bool
    package let leastCharacters: Int
    package let problems: [Problem]

    package init(
        client: String,
        form: PageForm,
        entries: Entries = Entries(),
        asksForEmail: Bool,
        asksForUserName: Bool,
        leastCharacters: Int,
        problems: [Problem] = []
    ) {
        self.client = client
        self.form = form
        self.entries = entries
        self.asksForEmail = asksForEmail
        self.asksForUserName = asksForUserName
        self.leastCharacters = leastCharacters
        self.problems = problems
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.registration.heading
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        guard let first = problems.first else { return nil }
        let title: Phrase =
            switch first {
            case .mustWait: words.signIn.tooManyTries
            case .busy: words.signIn.busy
            default: words.signIn.problem
            }
        return ErrorSummary(
            summaryTitle: title,
            items: problems.map { .init(text: told($0, words), field: $0.field) }
        )
    }

    private func told(_ problem: Problem, _ words: Words) -> Phrase {
        let registration = words.registration
        return switch problem {
        case .givenNameMissing: registration.givenNameMissing
        case .givenNameWrong: registration.givenNameWrong
        case .familyNameWrong: registration.familyNameWrong
        case .emailMissing: words.welcome.emailMissing
        case .emailWrong: words.welcome.emailWrong(FieldBlock.exampleEmail)
        case .emailTaken: words.welcome.emailTaken
        case .userNameMissing: registration.userNameMissing
        case .userNameWrong: registration.userNameWrong
        case .userNameTaken: registration.userNameTaken
        case .password(let problem): problem.told(words, leastCharacters: leastCharacters)
        case .mustWait(let seconds): words.signIn.wait(words.time.wait(seconds: seconds))
        case .busy: words.signIn.busyAdvice
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let registration = words.registration
        return HTML([
            .line(registration.intro(client)),
            .form(
                form,
                [
                    field(.givenName, registration.givenName, entries.givenName, words),
                    field(
                        .familyName,
                        registration.familyName,
                        entries.familyName,
                        isRequired: false,
                        words
                    ),
                    asksForEmail
                        ? field(
                            .email,
                            registration.email,
                            entries.email,
                            hint: words.welcome.willConfirm,
                            words
                        ) : nil,
                    asksForUserName
                        ? field(
                            .userName,
                            registration.userName,
                            entries.userName,
                            hint: registration.userNameHint,
                            words
                        ) : nil,
                    field(
                        .password,
                        words.signIn.password,
                        nil,
                        hint: registration.rule(words.reset.characters(leastCharacters)),
                        words
                    ),
                    .buttons([
                        ActionButton("create", registration.create, .first),
                        ActionButton("switch", registration.haveAccount, isWayOut: true),
                        ActionButton("cancel", words.common.cancel, isWayOut: true),
                    ]),
                ]
            ),
        ])
    }

    private func field(
        _ field: Field,
        _ label: Phrase,
        _ value: String?,
        hint: Phrase? = nil,
        isRequired: Bool = true,
        _ words: Words
    ) -> HTML {
        .field(
            FieldBlock(
                field.rawValue,
                field.kind,
                label: label,
                value: value,
                hint: hint,
                problem: problems.first { $0.field == field.rawValue }.map { told($0, words) },
                isRequired: isRequired,
                startsHere: field == .givenName && problems.isEmpty
            )
        )
    }

    fileprivate enum Field: String {
        case givenName = "given_name"
        case familyName = "family_name"
        case email
        case userName = "username"
        case password

        var kind: FieldBlock.Kind {
            switch self {
            case .givenName: .givenName
            case .familyName: .familyName
            case .email: .email
            case .userName: .newUserName
            case .password: .newPassword
            }
        }
    }
}

extension RegistrationPage.Problem {
    /// The `id` of the field that it is about.
    fileprivate var field: String? {
        let field: RegistrationPage.Field? =
            switch self {
            case .givenNameMissing, .givenNameWrong: .givenName
            case .familyNameWrong: .familyName
            case .emailMissing, .emailWrong, .emailTaken: .email
            case .userNameMissing, .userNameWrong, .userNameTaken: .userName
            case .password: .password
            case .mustWait, .busy: nil
            }
        return field?.rawValue
    }
}

import HTTPTypes
import PorticoBytes
package import PorticoPages
package import PorticoProtocol
package import PorticoStores
import PorticoWeb

/// Name and email address, and the code that confirms an address.
struct DetailsPages: Sendable {
    let check: SessionCheck
    let accounts: AccountStore
    let emails: EmailCodes
    let responder: SignInResponder
    let forms: PageForms

    func details(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        return try detailsPage(live, nil, [], context)
    }

    func saveDetails(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let (form, counts) = try forms.taken("details", live.session.signIn, context)
        let said = ProfileForm(
            form,
            WelcomePage.Email(live.person.mailbox),
            inParts: live.person.hasNameInParts,
            asksForEmail: form["action"] == "confirm-email"
        )
        guard counts else { return try detailsPage(live, said, [], context).notDone }
        guard said.problems.isEmpty else {
            return try detailsPage(live, said, said.problems, context)
        }
        guard let address = said.newAddress else {
            _ = try await accounts.update(
                live.person.id,
                name: said.name,
                language: context.language.tag,
                isWelcomed: nil
            )
            return responder.go(to: .savedDetails, context)
        }
        guard live.isProven(at: context.now) else {
            return responder.go(to: .confirming(.changingEmail, backTo: .details), context)
        }
        return try await forms.once(form, context) {
            try await emails.start(address, for: live.person, context)
            let path = emails.asking(address, for: live.person, context)
            return (responder.go(to: path, context), isDone: true)
        }
    }

    /// - Parameter said: What the person typed, if it could not be accepted.
    private func detailsPage(
        _ live: LiveSession,
        _ said: ProfileForm?,
        _ problems: [WelcomePage.Problem],
        _ context: SignInContext
    ) throws -> Response {
        let made = try forms.form(.accountDetails, "details", live.session.signIn, context)
        return responder.page(
            AccountDetailsPage(
                name: AccountDetailsPage.Name(said?.name ?? live.person.ownName),
                email: said?.email ?? WelcomePage.Email(live.person.mailbox),
                form: made.form,
                problems: problems,
                wasSaved: try context.query()["saved"] == "1" && problems.isEmpty,
                download: PageLink(path: responder.place.address(of: .accountData)),
                navigation: responder.navigation
            ),
            context,
            cookies: made.cookies
        )
    }

    func email(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        return try codePage(live, try context.query()["request"], nil, context)
    }

    func saveEmail(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let form = try forms.checked("e-mail code", live.session.signIn, context)
        let request = form["request"]
        switch form["action"] {
        case "change-address": return responder.go(to: .details, context)
        case "resend":
            guard let address = emails.address(in: request, of: live.person, context) else {
                return responder.go(to: .details, context)
            }
            return try await forms.once(form, context) {
                try await emails.start(address, for: live.person, context)
                return (try codePage(live, request, nil, wasResent: true, context), isDone: true)
            }
        default: break
        }
        guard let code = form["code"] else { return try codePage(live, request, .missing, context) }
        let saved = responder.go(to: .savedDetails, context)
        return try await forms.once(form, context) {
            let outcome = try await emails.confirm(code, for: live.person, context)
            if case .confirmed = outcome { return (saved, isDone: true) }
            return (try notConfirmed(outcome, live, request, context), isDone: false)
        }
    }

    private func notConfirmed(
        _ outcome: EmailConfirmationOutcome,
        _ live: LiveSession,
        _ request: String?,
        _ context: SignInContext
    ) throws -> Response {
        let problem: EmailCodePage.Problem
        switch outcome {
        case .wrong(let left, _): problem = left > 0 ? .wrong(triesLeft: left) : .tooMany
        case .expired: problem = .expired
        case .confirmed, .unknown, .spent, .blocked, .secondOfProvider: problem = .used
        case .taken: return try detailsPage(live, nil, [.emailTaken], context)
        }
        return try codePage(live, request, problem, context)
    }

    /// - Parameter request: The address that the code was sent to, sealed: the store keeps only what
    ///   the code is compared with. Without it, another code cannot be sent from this page.
    private func codePage(
        _ live: LiveSession,
        _ request: String?,
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        _ context: SignInContext
    ) throws -> Response {
        let address = emails.address(in: request, of: live.person, context)
        let made = try forms.form(
            .accountEmail,
            "e-mail code",
            live.session.signIn,
            context,
            carrying: request.map { [PageField("request", $0)] } ?? []
        )
        return responder.page(
            EmailCodePage(
                address: address.map { EmailCodePage.masked($0) } ?? "…",
                form: made.form,
                problem: problem,
                canResend: address != nil,
                minutes: Int(EmailCodes.lifetime / 60),
                wasResent: wasResent
            ),
            context,
            cookies: made.cookies
        )
    }
}

/// A person's entries in a profile form, and their problems. Entries that cannot be accepted are
/// shown again as typed (WCAG 3.3.7).
package struct ProfileForm: Sendable {
    package let name: PersonName
    /// As shown again on the page.
    package let email: WelcomePage.Email
    /// An address that needs a code.
    package let newAddress: String?
    package let problems: [WelcomePage.Problem]

    /// - Parameters:
    ///   - known: The account's address.
    ///   - isInParts: Whether the form has given and family name.
    ///   - asksForEmail: Whether the form requires an address, or a confirmed one.
    package init(
        _ form: FormParameters,
        _ known: WelcomePage.Email,
        inParts isInParts: Bool = false,
        asksForEmail: Bool? = nil
    ) {
        func typed(_ field: String) -> String {
            let typed = String(ShownText(form[field] ?? "", limit: 100).text)
            let trimmed = String(typed.trimming { $0.isWhitespace })
            return trimmed.isEmpty ? typed : trimmed
        }
        let first = typed(isInParts ? "given_name" : "name")
        let family = isInParts ? typed("family_name") : ""
        name =
            isInParts
            ? .parts(given: first, family: family.isEmpty ? nil : family) : .whole(first)
        let typed = form["email"] ?? ""
        let isKnown = sameBytes(typed, known.address ?? "")
        let isAsked = asksForEmail ?? known.isAskedFor
        var problems: [WelcomePage.Problem] = []
        if first.allSatisfy(\.isWhitespace) { problems.append(.nameMissing) }
        if isAsked, typed.isEmpty { problems.append(.emailMissing) }
        if !typed.isEmpty, !isKnown || isAsked, !EmailAddressRule.isAddress(typed) {
            problems.append(.emailWrong)
        }
        self.problems = problems
        newAddress = !typed.isEmpty && (!isKnown || isAsked) ? typed : nil
        email =
            isKnown || typed.isEmpty && !isAsked
            ? known : typed.isEmpty ? .missing : .unverified(typed)
    }
}

extension ProfileForm {
    /// Of a form with one field.
    package var wholeName: String {
        if case .whole(let name) = name { name } else { "" }
    }
}

extension WelcomePage.Email {
    package init(_ email: Mailbox?) {
        switch email {
        case let email? where email.isRelay: self = .relay(email.address)
        case let email? where email.isVerified: self = .verified(email.address)
        case let email?: self = .unverified(email.address)
        case nil: self = .missing
        }
    }

    fileprivate var address: String? {
        switch self {
        case .verified(let address), .unverified(let address), .relay(let address): address
        case .missing: nil
        }
    }

    /// Whether the welcome asks for it: it is unverified or missing.
    fileprivate var isAskedFor: Bool {
        switch self {
        case .unverified, .missing: true
        case .verified, .relay: false
        }
    }
}

extension Person {
    fileprivate var hasNameInParts: Bool {
        if case .parts = ownName { true } else { false }
    }
}

extension AccountDetailsPage.Name {
    fileprivate init(_ name: PersonName?) {
        self =
            switch name {
            case .parts(let given, let family): .parts(given: given, family: family ?? "")
            case .whole(let name): .whole(name)
            case nil: .whole("")
            }
    }
}

import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores

/// A person's entries in a profile form, and their problems. Entries that cannot be accepted are
/// shown again as typed (WCAG 3.3.7).
struct ProfileForm: Sendable {
    let name: String
    /// As shown again on the page.
    let email: WelcomePage.Email
    /// An address that needs a code.
    let newAddress: String?
    let problems: [WelcomePage.Problem]

    /// - Parameters:
    ///   - known: The account's address.
    ///   - asksForEmail: Whether the form requires an address, or a confirmed one.
    init(_ form: FormParameters, _ known: WelcomePage.Email, asksForEmail: Bool? = nil) {
        let typedName = String(ShownText(form["name"] ?? "", limit: 100).text)
        let trimmed = String(typedName.trimming { $0.isWhitespace })
        name = trimmed.isEmpty ? typedName : trimmed
        let typed = form["email"] ?? ""
        let isKnown = sameBytes(typed, known.address ?? "")
        let isAsked = asksForEmail ?? known.isAskedFor
        var problems: [WelcomePage.Problem] = []
        if trimmed.isEmpty { problems.append(.nameMissing) }
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

extension WelcomePage.Email {
    init(_ email: AccountEmail?) {
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

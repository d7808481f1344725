import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Name and e-mail address, and the code that confirms an address (account page 2, page 5).
struct DetailsPages: Sendable {
    let check: SessionCheck
    let accounts: any AccountStore
    let emails: EmailCodes
    let exits: BackendExits
    let forms: PageForms

    func details(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        return try detailsPage(live, status: nil, [], visit)
    }

    func saveDetails(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let form = try await forms.checked("details", live.session.id.text, visit)
        let name = String(ShownText(form["name"] ?? "", limit: 100).text)
        let typed = form["email"] ?? ""
        let known = live.account.email
        let isNewAddress =
            !typed.isEmpty && !sameBytes(typed, known?.address ?? "")
            || form["action"] == "confirm-email"
        guard !name.allSatisfy(\.isWhitespace) else {
            return try detailsPage(live, status: nil, [.nameMissing], visit)
        }
        guard isNewAddress else {
            _ = try await accounts.update(
                live.account.id,
                name: name,
                language: visit.language.tag,
                isWelcomed: nil
            )
            return exits.go(to: .savedDetails, visit)
        }
        guard EmailAddressRule.isAddress(typed) else {
            return try detailsPage(live, status: nil, [.emailWrong], visit)
        }
        guard AccountPages.isRecent(live, visit) else {
            return exits.go(to: .confirming(.changingEmail, backTo: .details), visit)
        }
        try await emails.start(typed, for: live.account, visit)
        return exits.go(to: .emailCode, visit)
    }

    private func detailsPage(
        _ live: LiveAccountSession,
        status: AccountDetailsPage.Status?,
        _ problems: [WelcomePage.Problem],
        _ visit: BackendVisit
    ) throws -> Response {
        let made = try forms.form(.accountDetails, "details", live.session.id.text, visit)
        let wasSaved = try visit.query()["saved"] == "1" && problems.isEmpty
        return exits.page(
            AccountDetailsPage(
                name: live.account.name ?? "",
                email: WelcomePage.Email(live.account.email),
                form: made.form,
                problems: problems,
                status: wasSaved ? .saved : status,
                navigation: AccountPages.navigation
            ),
            visit,
            cookies: made.cookies
        )
    }

    func email(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        return try codePage(live, nil, visit)
    }

    func saveEmail(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let form = try await forms.checked("e-mail code", live.session.id.text, visit)
        guard form["action"] != "change-address" else { return exits.go(to: .details, visit) }
        guard let code = form["code"] else { return try codePage(live, .missing, visit) }
        switch try await emails.confirm(code, for: live.account, visit) {
        case .confirmed: return exits.go(to: .savedDetails, visit)
        case .wrong(let left):
            return try codePage(live, left > 0 ? .wrong(triesLeft: left) : .tooMany, visit)
        case .expired: return try codePage(live, .expired, visit)
        case .unknown, .spent, .blocked, .secondOfProvider:
            return try codePage(live, .used, visit)
        case .taken: return try detailsPage(live, status: nil, [.emailTaken], visit)
        }
    }

    /// The address is not shown again: it stands with the code, which the store keeps.
    private func codePage(
        _ live: LiveAccountSession,
        _ problem: EmailCodePage.Problem?,
        _ visit: BackendVisit
    ) throws -> Response {
        let made = try forms.form(.accountEmail, "e-mail code", live.session.id.text, visit)
        return exits.page(
            EmailCodePage(
                address: "…",
                form: made.form,
                problem: problem,
                canResend: false,
                minutes: Int(EmailCodes.lifetime / 60)
            ),
            visit,
            cookies: made.cookies
        )
    }
}

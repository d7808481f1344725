import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Name and e-mail address, and the code that confirms an address.
struct DetailsPages: Sendable {
    let check: SessionCheck
    let accounts: any AccountStore
    let emails: EmailCodes
    let exits: BackendExits
    let forms: PageForms

    func details(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        return try detailsPage(live, nil, [], visit)
    }

    func saveDetails(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let form = try await forms.checked("details", live.session.id.text, visit)
        let said = SaidOfOneself(
            form,
            WelcomePage.Email(live.account.email),
            asksForEmail: form["action"] == "confirm-email"
        )
        guard said.problems.isEmpty else {
            return try detailsPage(live, said, said.problems, visit)
        }
        guard let address = said.newAddress else {
            _ = try await accounts.update(
                live.account.id,
                name: said.name,
                language: visit.language.tag,
                isWelcomed: nil
            )
            return exits.go(to: .savedDetails, visit)
        }
        guard live.isProven(at: visit.now) else {
            return exits.go(to: .confirming(.changingEmail, backTo: .details), visit)
        }
        try await emails.start(address, for: live.account, visit)
        return exits.go(to: emails.asking(address, for: live.account, visit), visit)
    }

    /// - Parameter said: What was typed, where it could not be accepted.
    private func detailsPage(
        _ live: LiveAccountSession,
        _ said: SaidOfOneself?,
        _ problems: [WelcomePage.Problem],
        _ visit: BackendVisit
    ) throws -> Response {
        let made = try forms.form(.accountDetails, "details", live.session.id.text, visit)
        return exits.page(
            AccountDetailsPage(
                name: said?.name ?? live.account.name ?? "",
                email: said?.email ?? WelcomePage.Email(live.account.email),
                form: made.form,
                problems: problems,
                wasSaved: try visit.query()["saved"] == "1" && problems.isEmpty,
                navigation: AccountPages.navigation
            ),
            visit,
            cookies: made.cookies
        )
    }

    func email(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        return try codePage(live, try visit.query()["request"], nil, visit)
    }

    func saveEmail(_ visit: BackendVisit) async throws -> Response {
        let live = try await check(visit)
        let form = try await forms.checked("e-mail code", live.session.id.text, visit)
        let request = form["request"]
        switch form["action"] {
        case "change-address": return exits.go(to: .details, visit)
        case "resend":
            guard let address = emails.address(in: request, of: live.account, visit) else {
                return exits.go(to: .details, visit)
            }
            try await emails.start(address, for: live.account, visit)
            return try codePage(live, request, nil, wasResent: true, visit)
        default: break
        }
        guard let code = form["code"] else { return try codePage(live, request, .missing, visit) }
        switch try await emails.confirm(code, for: live.account, visit) {
        case .confirmed: return exits.go(to: .savedDetails, visit)
        case .wrong(let left, _):
            let problem: EmailCodePage.Problem = left > 0 ? .wrong(triesLeft: left) : .tooMany
            return try codePage(live, request, problem, visit)
        case .expired: return try codePage(live, request, .expired, visit)
        case .unknown, .spent, .blocked, .secondOfProvider:
            return try codePage(live, request, .used, visit)
        case .taken: return try detailsPage(live, nil, [.emailTaken], visit)
        }
    }

    /// - Parameter request: The address that the code was sent to, sealed: the store keeps only what
    ///   the code is compared with. Without it nothing can be sent again from here.
    private func codePage(
        _ live: LiveAccountSession,
        _ request: String?,
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        _ visit: BackendVisit
    ) throws -> Response {
        let address = emails.address(in: request, of: live.account, visit)
        let made = try forms.form(
            .accountEmail,
            "e-mail code",
            live.session.id.text,
            visit,
            carrying: request.map { [PageField("request", $0)] } ?? []
        )
        return exits.page(
            EmailCodePage(
                address: address.map { EmailCodePage.masked($0) } ?? "…",
                form: made.form,
                problem: problem,
                canResend: address != nil,
                minutes: Int(EmailCodes.lifetime / 60),
                wasResent: wasResent
            ),
            visit,
            cookies: made.cookies
        )
    }
}

import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoSeals
package import PorticoStores
import PorticoUpstream
package import PorticoWeb

/// What a demonstration shows besides the service: every page in every state, and the mails that it
/// does not send. Never mounted in earnest.
package struct DemoPages: Sendable {
    let clock: Clock
    let page: BackendPageExit
    let outbox: any OutboxStore
    let directory: BackendDirectory
    let ring: KeyRing

    private static let gallery = "/_gallery"
    private static let mails = "/_outbox"

    /// The answer at an address of the demonstration, or `nil` where the path is none.
    package func respond(to arrival: Arrival) async -> Answered? {
        let path = arrival.target.path
        guard path == Self.gallery || path.hasPrefix(Self.gallery + "/") || path == Self.mails
        else {
            return nil
        }
        let visit = BackendVisit(arrival, at: clock.moment())
        guard [.get, .head].contains(visit.request.method) else {
            return Answered(Response(methodNotAllowedBut: [.get], headers: page.headers))
        }
        if path == Self.gallery { return Answered(page(GalleryIndexPage(), visit)) }
        if path == Self.mails { return Answered(await sent(visit)) }
        let parts = path.dropFirst(Self.gallery.count).split(separator: "/").map(String.init)
        guard parts.count == 2, let state = PageGallery.state(page: parts[0], state: parts[1])
        else {
            return Answered(page(ErrorPage(issue: .notFound), visit, status: .notFound))
        }
        return Answered(page(state.page, visit))
    }

    private func sent(_ visit: BackendVisit) async -> Response {
        do {
            let mails = try await outbox.latest(limit: 50).map { try shown($0) }
            return page(OutboxPage(mails: mails, now: visit.now), visit)
        } catch {
            return page(ErrorPage(issue: .serverError), visit, status: .internalServerError)
        }
    }

    private func shown(_ mail: OutboxMail) throws -> OutboxPage.Mail {
        let language = Language.best(uiLocales: mail.draft.language, acceptLanguage: nil)
        let text = try MailText(mail.draft, ring: ring) { name in
            directory.provider(named: name)?.client.provider.displayName ?? name
        }.text(in: language, service: mail.draft.service ?? page.service)
        let status: OutboxPage.Status =
            switch (mail.sentAt, mail.dueAt) {
            case (let time?, _): .sent(at: time)
            case (nil, nil): .givenUp
            case (nil, _?): .waiting
            }
        return OutboxPage.Mail(
            to: mail.draft.to ?? "",
            subject: text.subject,
            lines: text.lines,
            status: status
        )
    }
}

extension Backend {
    /// The pages of a demonstration.
    package func demo(outbox: any OutboxStore) -> DemoPages {
        DemoPages(
            clock: clock,
            page: pageExit,
            outbox: outbox,
            directory: directory,
            ring: ring
        )
    }
}

import HTTPTypes
import PorticoBytes
package import PorticoPages
import PorticoSeals
package import PorticoStores
import PorticoUpstream
package import PorticoWeb
package import PorticoSignIn

/// The additional page of a demonstration: the emails that it does not send. Never served in
/// production.
package struct DemoService: PageService {
    package let routes: RouteTable<SignInContext>
    package let page: PageResponder

    package func context(_ request: RequestContext, _ parameters: PathParameters)
        -> SignInContext?
    {
        SignInContext(request, parameters)
    }
}

struct DemoPages: Sendable {
    let page: PageResponder
    let outbox: OutboxStore
    let directory: ProviderDirectory
    let ring: KeyRing
    /// Of the public URL.
    let origin: String

    var routes: [Route<SignInContext>] {
        [.get("/_outbox", for: .people, sent)]
    }

    private func sent(_ context: SignInContext) async -> Response {
        do {
            let mails = try await outbox.latest(limit: 50).map { try shown($0) }
            return page(OutboxPage(mails: mails, now: context.now), context)
        } catch {
            return page(ErrorPage(issue: .serverError), context, status: .internalServerError)
        }
    }

    private func shown(_ mail: OutboxMail) throws -> OutboxPage.Mail {
        let language = Language.best(uiLocales: mail.draft.language, acceptLanguage: nil)
        let text = try MailText(mail.draft, ring: ring) { name in
            directory.provider(named: name)?.client.provider.displayName ?? name
        }.text(in: language, service: mail.draft.service ?? page.owner ?? "")
        let status: OutboxPage.Status =
            switch (mail.sentAt, mail.dueAt) {
            case (let time?, _): .sent(at: time)
            case (nil, nil): .givenUp
            case (nil, _?): .waiting
            }
        let links = text.lines.filter { $0.hasPrefix(origin + "/") }
            .compactMap { PageLink(path: String($0.dropFirst(origin.count))) }
        return OutboxPage.Mail(
            to: mail.draft.to ?? "",
            subject: text.subject,
            lines: text.lines,
            link: links.first,
            status: status
        )
    }
}

extension Backend {
    /// The pages of a demonstration.
    package func demo(outbox: OutboxStore) throws -> DemoService {
        let pages = DemoPages(
            page: signIn.page,
            outbox: outbox,
            directory: signIn.directory,
            ring: signIn.ring,
            origin: signIn.publicURL.origin
        )
        return DemoService(routes: try RouteTable(pages.routes), page: signIn.page)
    }
}

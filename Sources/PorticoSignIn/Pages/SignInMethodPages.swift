import HTTPTypes
import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// The sign-in methods of an account.
struct SignInMethodPages: Sendable {
    let directory: ProviderDirectory
    let check: SessionCheck
    let accounts: AccountStore
    let start: SignInStart
    let departure: AccountDeparture
    let responder: SignInResponder
    let forms: PageForms
    let linkLimit: RateLimiter

    func ways(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        return try await page(live, lastOneRefused: false, context)
    }

    func change(_ context: SignInContext) async throws -> Response {
        let live = try await check(context)
        let form = try forms.checked("ways", live.session.signIn, context)
        switch form["action"] {
        case "cancel": return responder.go(to: .ways, context)
        case "switch": return responder.switchPerson(context)
        default: break
        }
        if let name = form["way"], let provider = directory.provider(named: name) {
            return try await add(provider, live, context)
        }
        guard form["action"] == "remove", let name = form["id"] else {
            return responder.go(to: .ways, context)
        }
        guard live.isProven(at: context.now) else {
            return responder.go(to: .confirming(.removing, backTo: .ways), context)
        }
        switch try await departure.unlink(name, from: live.person, context) {
        case .unlinked:
            return responder.go(to: .ways(changed: "removed", name), context)
        case .lastOne: return try await page(live, lastOneRefused: true, context)
        case .notFound: return responder.go(to: .ways, context)
        }
    }

    private func add(
        _ provider: ProviderDirectory.LiveProvider,
        _ live: LiveSession,
        _ context: SignInContext
    ) async throws -> Response {
        guard live.isProven(at: context.now) else {
            return responder.go(to: .confirming(.adding, backTo: .ways), context)
        }
        if case .wait(let seconds) = linkLimit.take(
            LimitKey("link", live.person.id),
            at: context.moment.now
        ) {
            throw ServiceError(.rateLimited, "Too many links were begun.", retryAfter: seconds)
        }
        let signInReturn = SignInReturn(
            provider: provider.name,
            destination: .link(sessionID: live.session.id, .ways)
        )
        do {
            let started = try await start(
                at: provider,
                backTo: signInReturn,
                .reauthentication,
                context
            )
            guard let redirect = Redirect(to: started.address) else {
                throw ServiceError(.providerError, "The provider's address cannot be written.")
            }
            return Response(redirect, headers: responder.headers, cookies: started.cookies)
        } catch let error as SignInError {
            return responder.notAnswering(provider, signInReturn, error, context)
        }
    }

    private func page(_ live: LiveSession, lastOneRefused: Bool, _ context: SignInContext)
        async throws -> Response
    {
        let ways = SignInMethods(directory)
        let identities = try await accounts.identities(of: live.person.id)
        let names = Set(identities.map(\.provider))
        let hasPassword =
            directory.takesPasswords(at: responder.page.origin)
            ? try await accounts.hasPassword(live.person.id) : false
        let query = try context.query()
        var status: SignInMethodsPage.Status?
        if let label = query["added"].flatMap({ ways.label($0) }) { status = .added(label) }
        if let label = query["removed"].flatMap({ ways.label($0) }) { status = .removed(label) }
        let made = try forms.form(.accountWays, "ways", live.session.signIn, context)
        return responder.page(
            SignInMethodsPage(
                linked: identities.map { identity in
                    SignInMethodsPage.Linked(
                        id: identity.provider,
                        label: ways.label(identity.provider)
                            ?? MethodLabel(kind: .generic, displayName: identity.provider),
                        email: identity.email?.address,
                        addedAt: identity.linkedAt,
                        isUsable: directory.names.contains(identity.provider)
                    )
                },
                // A handle cannot be added to an account.
                others: ways.all().filter {
                    !names.contains($0.name) && directory.provider(named: $0.name) != nil
                },
                hasPassword: hasPassword,
                form: made.form,
                status: status,
                lastOneRefused: lastOneRefused,
                notAdded: ways.problem(in: query),
                navigation: responder.navigation
            ),
            context,
            status: lastOneRefused ? .conflict : .ok,
            redirecting: .onward,
            cookies: made.cookies
        )
    }
}

extension LocalPath {
    static func ways(changed: StaticString, _ provider: String) -> LocalPath {
        LocalPath(FormEncoding.appending([("\(changed)", provider)], to: ways.text)) ?? ways
    }
}

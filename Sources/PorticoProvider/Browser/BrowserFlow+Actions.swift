import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// What an app asks a person to do (`kc_action`).
extension BrowserFlow {
    func updatePasswordPage(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession,
        _ problem: NewPasswordPage.Problem? = nil,
        in browser: FormBrowser,
        cookies: [HTTPField] = [],
        _ context: RealmContext
    ) throws -> Response {
        let form = try form(
            .requiredAction,
            "update password",
            flow.transaction(of: session, proven),
            flow,
            browser.value,
            context
        )
        return page(
            NewPasswordPage(
                userName: session.person.email ?? session.person.username,
                leastCharacters: PasswordPolicy.minimumLength,
                form: form,
                problem: problem,
                canCancel: true
            ),
            context,
            redirecting: .onward,
            cookies: cookies
        )
    }
}

extension ResumableRequest {
    /// The same request with what became of an authenticator app, where it asks for one.
    ///
    /// - Throws: `invalid_request` if it is too long to be carried.
    func marked(_ status: RequestedAction.Status, _ flow: BrowserFlow, _ context: RealmContext)
        throws -> ResumableRequest
    {
        // `try?`: the parameters were read before they were sealed.
        let parameters = try? FormParameters(decoding: self.flow.parameters)
        guard self.flow.action == nil,
            parameters?["kc_action"].map({ sameBytes($0, RequiredAction.configureTOTP) }) == true
        else { return self }
        var marked = self.flow
        marked.action = status
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
        return ResumableRequest(
            sealed: try seal.seal(marked, at: context.moment),
            flow: marked
        )
    }
}

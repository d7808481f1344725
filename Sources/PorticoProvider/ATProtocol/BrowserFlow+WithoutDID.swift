import HTTPTypes
import PorticoPages
import PorticoStores
import PorticoWeb

extension BrowserFlow {
    /// Nothing is asked but whether to use another account, so its form is that of the choice.
    func withoutDIDPage(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession,
        _ browser: String,
        _ cookies: [HTTPField],
        _ context: RealmContext
    ) throws -> Response {
        let transaction = flow.transaction(of: session, proven)
        let form = try self.form(
            .selectAccount,
            "select account",
            transaction,
            flow,
            browser,
            context
        )
        return page(
            AccountWithoutDIDPage(
                client: proven.client.name,
                account: PageAccount(session.person),
                form: form
            ),
            context,
            status: .forbidden,
            redirecting: .onward,
            cookies: cookies
        )
    }
}

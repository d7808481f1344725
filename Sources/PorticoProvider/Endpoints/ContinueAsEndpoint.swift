import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/continue-as`: whether a person goes on with the account that an app has
/// handed on (RFC 8693 §2.1). A link with a login token signs no one in without it.
///
/// The browser's own session, if any, is neither read nor changed, and the browser gets none.
struct ContinueAsEndpoint: Sendable {
    let flow: BrowserFlow

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        var begun = try await flow.flow(form["request"], context)
        try await flow.checkForm("continue as", form, transaction: begun.id, context)
        let proven = try await flow.proven(begun, context)
        switch form["action"] {
        case "continue":
            let good = try await flow.loginTokens.good(
                for: proven,
                in: context.realm,
                at: context.moment
            )
            begun.handedOn = good?.handedOn
            return try await flow.next(
                proven,
                begun,
                // Too late: the person signs in. They did not agree to the browser's account.
                session: good?.session,
                browser: flow.formCookie(context).value(context.headers) ?? "",
                context
            )
        case "switch":
            return try flow.signInPage(
                for: AppSignIn(proven: proven, begun: begun),
                in: flow.browser(context),
                context
            )
        default:
            throw proven.declined("The person did not go on with that account.")
        }
    }
}

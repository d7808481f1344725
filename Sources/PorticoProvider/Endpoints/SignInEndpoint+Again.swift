import PorticoPages
import PorticoProtocol
import PorticoWeb

/// The sign-in page once more, for a form that does not count.
extension SignInEndpoint {
    /// A form whose cookie is gone, or was replaced by that of another tab, signs no one in. The page is
    /// shown again, with what was typed but for the password.
    ///
    /// - Returns: `nil` where the browser keeps no cookies, or cannot be known to have had the page.
    func beginAgain(
        _ form: FormParameters,
        after error: any Error,
        _ context: RealmContext
    ) async throws -> Response? {
        let browser = try flow.browser(context)
        guard let lost = error as? LostRequest, lost.keepsCookies,
            try await flow.session(context) == nil,
            let begun = flow.begunAgain(form["request"], in: browser, context)
        else { return nil }
        let proven = try await flow.requests.resume(
            begun,
            in: context.realm,
            from: context.address,
            at: context.moment
        )
        var context = context
        context.speak(try FormParameters(decoding: begun.parameters))
        return try again(form, for: AppSignIn(proven: proven, begun: begun), in: browser, context)
    }

    /// The page of a form that does not count, with what was typed but for the password.
    func again(
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        in browser: FormBrowser,
        _ context: RealmContext
    ) throws -> Response {
        try flow.signInPage(
            for: purpose,
            userName: PasswordCheck.Typed(form).userName,
            problem: .tookTooLong,
            in: browser,
            context
        ).notDone
    }
}

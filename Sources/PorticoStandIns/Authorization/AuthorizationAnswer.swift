import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// The answer to the redirect URI, in the requested mode (RFC 6749 §4.1.2).
struct AuthorizationAnswer {
    let request: StandInRequest
    var parameters: [(name: String, value: String)]

    func response(_ answers: StandInAnswers) throws -> Response {
        guard request.isFormPost else {
            let location = FormEncoding.appending(parameters, to: request.redirectURI)
            // PRV-F-13: Facebook adds this to every answer.
            return try answers.redirect(
                to: request.kind == .facebook ? location + "#_=_" : location
            )
        }
        return answers.page(formPost)
    }

    /// The page that submits itself, or with a button if scripts are off (Form Post Response Mode
    /// §2).
    private var formPost: StandInPage {
        StandInPage(
            kind: request.kind,
            title: "Back to the application",
            body: .element(
                .form,
                to: StandInAddress(href: request.redirectURI),
                [.method: "post"],
                HTML(
                    parameters.map {
                        .element(.input, [.type: "hidden", .name: $0.name, .value: $0.value])
                    }
                ),
                .element(.button, .text("Continue"))
            ),
            script: Self.script
        )
    }

    private static let script = InlineSource(unescaped: "document.forms[0].submit()")
}

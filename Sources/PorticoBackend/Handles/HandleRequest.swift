import PorticoBytes
import PorticoPages
import PorticoProtocol

/// The parameters of `/login` and `/mobile-auth`.
struct HandleRequest: Sendable {
    /// As it was typed.
    let handle: String
    let destination: SignInReturn.Destination
    let prompt: String?
    /// The person's host is shown before they are sent there.
    let asksForHost: Bool
    let isAgain: Bool
    let isPopup: Bool

    /// Values of `prompt` that are passed on (OpenID Connect Core §3.1.2.1; AT Protocol, OAuth).
    static let prompts = ["login", "select_account", "consent", "create"]

    /// - Throws: If a named app is not registered like that, as at `/v1/auth/{provider}`.
    init(_ parameters: FormParameters, for app: AppTarget?) {
        handle = parameters["handle"] ?? ""
        destination =
            app.map { .app($0) }
            ?? .web(
                LocalPath.asked(parameters["redirect"] ?? parameters["return_to"]),
                // Our choice of methods asks, with a checkbox. Apps' own links do not ask: their
                // sessions last.
                isRemembered: parameters["remember"] == "1" || parameters["platform"] != "web"
            )
        prompt = parameters["prompt"].flatMap { Self.prompts.contains($0) ? $0 : nil }
        asksForHost = parameters["ask"] == "host"
        isAgain = parameters["again"] == "1"
        // An app's answer goes to the app.
        isPopup = app == nil && parameters["pwa"] == "true"
    }

    /// Of `/login`: `mobile=true` says that an app waits, or `platform=mobile` as elsewhere.
    static func ofLogin(_ parameters: FormParameters, _ apps: AppRegister) throws(BackendError)
        -> HandleRequest
    {
        let isApp = parameters["mobile"] == "true" || parameters["platform"] == "mobile"
        return HandleRequest(parameters, for: isApp ? try AppTarget(parameters, in: apps) : nil)
    }

    /// Of `/mobile-auth`, which apps open without parameters: then it is for the only app, or the
    /// default one, if that takes its session in the address, and otherwise for this browser.
    static func ofPage(_ parameters: FormParameters, _ apps: AppRegister) throws(BackendError)
        -> HandleRequest
    {
        let names = [
            "handle", "mobile", "platform", "app", "redirect_uri", "code_challenge", "return_to",
            "redirect", "pwa", "remember",
        ]
        guard !names.contains(where: parameters.contains) else {
            let isApp =
                parameters["mobile"] == "true" || parameters["platform"] == "mobile"
                || parameters.contains("app")
            return HandleRequest(
                parameters,
                for: isApp ? try AppTarget(parameters, in: apps) : nil
            )
        }
        // `try?`: without such an app, the session is the browser's.
        return HandleRequest(parameters, for: try? AppTarget(parameters, in: apps))
    }

    var isForApp: Bool {
        if case .app = destination { true } else { false }
    }

    var signInReturn: SignInReturn {
        SignInReturn(provider: HandleProvider.kind, destination: destination)
    }
}

extension SignInReturn.Destination {
    /// The parameters of `/login` that lead to it.
    var handleParameters: [(name: String, value: String)] {
        switch self {
        case .web(let path, let isRemembered):
            return (path == .dashboard ? [] : [("redirect", path.text)])
                + [isRemembered ? ("remember", "1") : ("platform", "web")]
        case .app(let target):
            var parameters = [
                ("mobile", "true"), ("app", target.app), ("redirect_uri", target.redirectURI),
            ]
            if let challenge = target.challenge {
                parameters.append(("code_challenge", challenge.text))
                parameters.append(("code_challenge_method", "S256"))
            }
            if let state = target.state { parameters.append(("state", state)) }
            return parameters
        case .link: return []
        }
    }
}

extension HandleRequest {
    /// The hidden fields of a form that leads to `/login` with another handle.
    var fields: [PageField] { Self.fields(destination, prompt, isPopup: isPopup) }

    static func fields(
        _ destination: SignInReturn.Destination,
        _ prompt: String?,
        isPopup: Bool
    ) -> [PageField] {
        (destination.handleParameters + (prompt.map { [("prompt", $0)] } ?? []))
            .map { PageField($0.name, $0.value) } + (isPopup ? [popup] : [])
    }

    /// Says that a web app has opened the window (docs/decisions/0026).
    static let popup = PageField("pwa", "true")
}

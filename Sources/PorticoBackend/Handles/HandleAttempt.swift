import PorticoATProtocol
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn

/// A sign-in by handle that is under way (AT Protocol, OAuth): what its answer is checked against.
/// The server stores none of it (docs/decisions/0027).
struct HandleAttempt: PendingAttempt {
    static let purpose: StaticString = "sign-in by handle"

    /// Spent when the answer is accepted.
    let id: UniqueID
    let state: SecretText
    let verifier: CodeVerifier
    /// What the tokens are bound to, from the first request on.
    let key: DPoPKey
    /// The origin that led to the server, and the server's issuer.
    let host: String
    let issuer: String
    /// The account it began with; `nil` if it began with a server.
    let did: String?
    /// The text it began with, for beginning again.
    let handle: String
    /// The id of our key; `nil` if we were a public client.
    let clientKeyID: String?
    /// Whether it follows an attempt whose account was at another server.
    let isAgain: Bool
    /// The answer is for the window that opened this one.
    let isPopup: Bool
    /// One of ``HandleRequest/prompts``: beginning again asks the host for the same.
    let prompt: String?
}

extension HandleAttempt {
    /// When the host was asked, in seconds since 1970: its id is of that moment.
    var askedAt: Int64 { id.milliseconds / 1000 }

    /// The hidden fields of a form that begins again.
    func fields(_ destination: SignInReturn.Destination) -> [PageField] {
        HandleRequest.fields(destination, prompt, isPopup: isPopup)
    }

    private static let version: UInt8 = 1

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.version)
        writer.fixed(id.bytes)
        writer.text(state.reveal())
        writer.text(verifier.reveal())
        writer.fixed(key.revealStored())
        writer.text(host)
        writer.text(issuer)
        writer.optionalText(did)
        writer.text(handle)
        writer.optionalText(clientKeyID)
        let place = prompt.flatMap(HandleRequest.prompts.firstIndex(of:))
        let prompted = place.map { UInt8($0 + 1) } ?? 0
        writer.byte((isAgain ? 1 : 0) | (isPopup ? 2 : 0) | prompted << 2)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(encoded)
        guard try reader.byte() == Self.version, let id = UniqueID(bytes: try reader.fixed(16))
        else { throw ByteReader.Malformed() }
        self.id = id
        state = SecretText(try reader.text())
        guard let verifier = CodeVerifier(try reader.text()) else { throw ByteReader.Malformed() }
        self.verifier = verifier
        let stored = try reader.fixed(32)
        do {
            key = try DPoPKey(stored: stored)
        } catch {
            throw ByteReader.Malformed()
        }
        host = try reader.text()
        issuer = try reader.text()
        did = try reader.optionalText()
        handle = try reader.text()
        clientKeyID = try reader.optionalText()
        let flags = try reader.byte()
        isAgain = flags & 1 != 0
        isPopup = flags & 2 != 0
        let prompted = Int(flags >> 2)
        guard prompted <= HandleRequest.prompts.count else { throw ByteReader.Malformed() }
        prompt = prompted > 0 ? HandleRequest.prompts[prompted - 1] : nil
        try reader.end()
    }
}

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
    static func ofLogin(_ parameters: FormParameters, _ apps: AppRegister) throws(ServiceError)
        -> HandleRequest
    {
        let isApp = parameters["mobile"] == "true" || parameters["platform"] == "mobile"
        return HandleRequest(parameters, for: isApp ? try AppTarget(parameters, in: apps) : nil)
    }

    /// Of `/mobile-auth`, which apps open without parameters: then it is for the only app, or the
    /// default one, if that takes its session in the address, and otherwise for this browser.
    static func ofPage(_ parameters: FormParameters, _ apps: AppRegister) throws(ServiceError)
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
            return HandleRequest(parameters, for: isApp ? try AppTarget(parameters, in: apps) : nil)
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

import PorticoBytes

/// How an app sends the person to the provider and gets the answer back.
public struct SignInMethod: Sendable {
    enum Kind: Sendable {
        case loopback(Loopback)
        case sheet(any BrowserSheet)
    }

    struct Loopback: Sendable {
        let browser: any ExternalBrowser
        let timeout: Duration
        let pasted: PastedCallback?
    }

    /// `nil` for what suits the system and the redirect.
    private let kind: Kind?

    /// What suits the system: its sign-in sheet for an https or private-use redirect on Apple's
    /// systems, and ``loopback(open:timeout:pasted:)`` elsewhere.
    public static var standard: SignInMethod { SignInMethod(kind: nil) }

    /// Uses the system browser, and a loopback port that is open during the sign-in (RFC 8252
    /// §7.3). The client's redirect must be a loopback redirect.
    ///
    /// - Parameters:
    ///   - browser: Opens the address of the sign-in. Printing the address too helps a person whose
    ///     browser is on another machine.
    ///   - timeout: How long the person may take.
    ///   - pasted: Lets the person paste the address that the browser was redirected to instead.
    public static func loopback(
        open browser: any ExternalBrowser = .systemBrowser,
        timeout: Duration = .seconds(180),
        pasted: PastedCallback? = nil
    ) -> SignInMethod {
        SignInMethod(kind: .loopback(Loopback(browser: browser, timeout: timeout, pasted: pasted)))
    }

    /// Uses a sheet that closes with the answer. The client's redirect must not be a loopback
    /// redirect.
    static func sheet(_ sheet: any BrowserSheet) -> SignInMethod {
        SignInMethod(kind: .sheet(sheet))
    }

    /// - Throws: misconfigured(.redirectNotLoopback), misconfigured(.redirectNotForSheet),
    ///   misconfigured(.noBrowser)
    func kind(for redirect: Redirect) throws(SignInError) -> Kind {
        let kind = try signOutKind(for: redirect)
        switch (kind, redirect.kind) {
        case (.loopback, .uri): throw SignInError(.misconfigured(.redirectNotLoopback))
        case (.sheet(let sheet), _): _ = try redirect.target(of: sheet)
        case (.loopback, .loopback): break
        }
        return kind
    }

    /// A browser shows a sign-out page whatever the redirect of the sign-in is.
    ///
    /// - Throws: misconfigured(.noBrowser)
    func signOutKind(for redirect: Redirect) throws(SignInError) -> Kind {
        if let kind { kind } else { try Self.standardKind(for: redirect) }
    }

    private static func standardKind(for redirect: Redirect) throws(SignInError) -> Kind {
        if let sheet = SystemSheet.standard {
            if SystemSheet.isOnlyMethod { return .sheet(sheet) }
            if case .uri = redirect.kind { return .sheet(sheet) }
        }
        guard !SystemSheet.isOnlyMethod else { throw SignInError(.misconfigured(.noBrowser)) }
        return .loopback(Loopback(browser: .systemBrowser, timeout: .seconds(180), pasted: nil))
    }
}

/// A second channel for the answer: text that the person pastes.
public final class PastedCallback: Sendable {
    private let taker = Locked<(@Sendable (String) -> Bool)?>(nil)

    /// Use it for one sign-in at a time: text goes to the sign-in that began last.
    public init() {}

    /// Offers text, ignoring surrounding whitespace.
    ///
    /// - Returns: Whether it was the answer to the waiting sign-in. Any other text changes nothing.
    @discardableResult
    public func offer(_ text: String) -> Bool {
        let taker = taker.withLock { $0 }
        return taker?(String(text.trimming { $0.isWhitespace })) ?? false
    }

    func attach(_ take: (@Sendable (String) -> Bool)?) {
        taker.withLock { $0 = take }
    }
}

extension SignInMethod {
    /// Opens a sign-in's address and waits for the answer on a loopback port, which is always
    /// closed at the end (RFC 8252 §7.3, §8.3).
    ///
    /// - Parameters:
    ///   - redirect: Must be a loopback redirect.
    ///   - begin: Called with the redirect URI of the open port.
    ///   - name: Who signed in, for the page at the end.
    func run<Attempt: SignInUnderWay>(
        by loopback: Loopback,
        on redirect: Redirect,
        name: (Attempt.Result) -> String?,
        begin: (_ redirectURI: String) async throws(SignInError) -> Attempt
    ) async throws(SignInError) -> Attempt.Result {
        guard case .loopback(let path, let port) = redirect.kind else {
            throw SignInError(.misconfigured(.redirectNotLoopback))
        }
        let receiver = try LoopbackReceiver(path: path, port: port)
        defer { receiver.close() }
        let attempt = try await begin(receiver.redirectURI)
        loopback.pasted?.attach { receiver.offer($0) }
        defer { loopback.pasted?.attach(nil) }
        try await receiver.response(
            timeout: loopback.timeout,
            opening: attempt.address,
            in: loopback.browser
        ) {
            attempt.receive($0) == nil
        }
        do throws(SignInError) {
            let result = try await attempt.finish()
            await receiver.finish(.signedIn(as: name(result)))
            return result
        } catch {
            await receiver.finish(.failed(error.description))
            throw error
        }
    }
}

extension SignInMethod {
    /// Shows a sign-in's address in `sheet` until the answer is there (RFC 8252 §7.1, §7.2).
    ///
    /// A sheet closes with the first URI that it is redirected to, by any page. One that is not
    /// the answer does not end the attempt (§8.9, §8.10): the sheet is shown once more.
    ///
    /// - Parameter begin: Called with the redirect URI that the sheet closes on.
    func run<Attempt: SignInUnderWay>(
        in sheet: any BrowserSheet,
        on redirect: Redirect,
        begin: (_ redirectURI: String) async throws(SignInError) -> Attempt
    ) async throws(SignInError) -> Attempt.Result {
        let (redirectURI, ending) = try redirect.target(of: sheet)
        let attempt = try await begin(redirectURI)
        let first = try await sheet.uri(after: attempt.address, until: ending)
        guard attempt.receive(first) != nil else { return try await attempt.finish() }
        let again = try await attempt.addressAgain()
        let second = try await sheet.uri(after: again, until: ending)
        if let refusal = attempt.receive(second) { throw SignInError(.rejected(refusal)) }
        return try await attempt.finish()
    }
}

extension BrowserSheet {
    /// The URI that the sheet closed with. A cancelled task shows nothing.
    func uri(after address: String, until ending: SheetEnding) async throws(SignInError) -> String {
        guard !Task.isCancelled else { throw SignInError(.cancelled(.program)) }
        return try await show(address, until: ending)
    }
}

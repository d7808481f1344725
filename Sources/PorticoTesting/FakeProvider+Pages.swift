import Portico
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// The pages of the provider, as the browser gets them.
extension FakeProvider: FakeServer {
    func answer(toBrowser address: String) throws(SignInError) -> String? {
        let parts = address.split(separator: "?", maxSplits: 1)
        // `try?`: the library opens no such address, so the test or the app made it.
        guard let form = try? FormParameters(decoding: (parts.last ?? "").utf8) else {
            throw .test("PorticoTesting: the address that was opened is no authorization request.")
        }
        switch parts.first.map(String.init) {
        case base + "/auth": return try authorize(form)
        case base + "/logout": return endSession(form)
        default: throw .test("PorticoTesting: the address that was opened is not the fake's own.")
        }
    }

    /// The authorization endpoint (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2).
    private func authorize(_ form: FormParameters) throws(SignInError) -> String {
        guard let redirectURI = form["redirect_uri"] else {
            throw .test("PorticoTesting: the authorization request names no redirect URI.")
        }
        let now = clock.now
        let outcome = state.withLock { $0.outcome(of: form, redirectURI, at: now) }
        var parameters = try outcome.get()
        parameters.append(("iss", issuer))
        return FormEncoding.appending(parameters, to: redirectURI)
    }

    /// The end session endpoint (OpenID Connect RP-Initiated Logout §2): the person agrees.
    private func endSession(_ form: FormParameters) -> String? {
        state.withLock { state in
            guard let subject = state.browserSession?.subject else { return }
            state.browserSession = nil
            state.endFamilies { sameBytes($0.subject, subject) }
        }
        return form["post_logout_redirect_uri"].map {
            FormEncoding.appending([("state", form["state"] ?? "")], to: $0)
        }
    }
}

extension FakeProvider.State {
    typealias Outcome = Result<[(name: String, value: String)], SignInError>

    /// The parameters that an authorization request is answered with.
    mutating func outcome(of form: FormParameters, _ redirectURI: String, at now: Date) -> Outcome {
        let state = form["state"] ?? ""
        switch script.failure(of: .authorization) {
        case nil: break
        case .refused(let code, let words): return error(code, words, state)
        case .forged: return .success([("code", "forged"), ("state", "of another sign-in")])
        // The browser shows a page of its own, which the person closes.
        default: return .failure(SignInError(.cancelled(.user)))
        }
        if form["prompt"] == "none" {
            guard let live = silentSession(form, at: now) else {
                return error("login_required", nil, state)
            }
            return code(for: live.subject, since: live.since, form, redirectURI)
        }
        switch script.act() {
        case .denies: return error("access_denied", nil, state)
        case .closesBrowser: return .failure(SignInError(.cancelled(.user)))
        case .takesTooLong: return .failure(SignInError(.cancelled(.timedOut)))
        case .signsIn(let one):
            guard let person = person(one.subject) else {
                return .failure(
                    .test("PorticoTesting: the person who was to sign in has no account here.")
                )
            }
            return signIn(person, form, redirectURI, at: now)
        case nil:
            guard let person = expected(by: form) else {
                return .failure(
                    .test("PorticoTesting: no one has an account: FakeProvider(people: [.ann()]).")
                )
            }
            return signIn(person, form, redirectURI, at: now)
        }
    }

    /// Who is hinted at, or signed in already, or sits at the browser.
    private func expected(by form: FormParameters) -> FakePerson? {
        if let hint = form["login_hint"], let one = people.first(where: { $0.isMeant(by: hint) }) {
            return one
        }
        return browserSession.flatMap { person($0.subject) } ?? people.first
    }

    private mutating func signIn(
        _ person: FakePerson,
        _ form: FormParameters,
        _ redirectURI: String,
        at now: Date
    ) -> Outcome {
        let isNew = (form["prompt"] ?? "").split(separator: " ").contains("login")
        let live = isNew ? nil : session(of: person.subject, form, at: now)
        let since = live?.since ?? now
        browserSession = (person.subject, since)
        return code(for: person.subject, since: since, form, redirectURI)
    }

    /// The browser's session, if it is that person's and young enough (`max_age`).
    private func session(of subject: String, _ form: FormParameters, at now: Date)
        -> (subject: String, since: Date)?
    {
        guard let live = browserSession, sameBytes(live.subject, subject) else { return nil }
        if let maxAge = form["max_age"].flatMap(Double.init) {
            guard now.timeIntervalSince(live.since) <= maxAge else { return nil }
        }
        return live
    }

    /// The browser's session, if no one has to be asked (`prompt=none`).
    private func silentSession(_ form: FormParameters, at now: Date)
        -> (subject: String, since: Date)?
    {
        guard let live = browserSession, let person = person(live.subject) else { return nil }
        if let hint = form["login_hint"], !person.isMeant(by: hint) { return nil }
        return session(of: live.subject, form, at: now)
    }

    private mutating func code(
        for subject: String,
        since: Date,
        _ form: FormParameters,
        _ redirectURI: String
    ) -> Outcome {
        serial += 1
        let code = "code-\(serial)"
        codes[code] = FakeGrant(
            clientID: form["client_id"] ?? "",
            redirectURI: redirectURI,
            challenge: form["code_challenge"].flatMap(CodeChallenge.init),
            nonce: form["nonce"],
            scope: form["scope"] ?? "",
            acr: form["acr_values"]?.split(separator: " ").first.map(String.init),
            subject: subject,
            since: since,
            keyThumbprint: form["dpop_jkt"]
        )
        return .success([("code", code), ("state", form["state"] ?? "")])
    }

    private func error(_ code: String, _ words: String?, _ state: String) -> Outcome {
        var parameters: [(name: String, value: String)] = [("error", code), ("state", state)]
        if let words { parameters.append(("error_description", words)) }
        return .success(parameters)
    }
}

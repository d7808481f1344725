import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// The authorization endpoint (RFC 6749 §3.1): a page with people to choose from, and what follows.
///
/// There are no sessions: a user of this machine's loopback may choose any person each time.
struct StandInAuthorization {
    let answers: StandInAnswers

    private var standIns: StandIns { answers.standIns }

    func answer(to call: StandInCall) throws -> Response {
        let client = standIns.client(call.query["client_id"], at: call.kind)
        let request: StandInRequest
        do {
            request = try StandInRequest(call, client: client)
        } catch let denial as StandInRequest.Denial {
            return try deny(denial.request, call, denial.code)
        }
        if request.prompts.contains("none") {
            return try deny(
                request,
                call,
                call.kind == .google ? "interaction_required" : "login_required"
            )
        }
        if call.method == .post {
            if call.form["cancel"] != nil { return try cancel(request, call) }
            if let person = standIns.people(at: call.kind).first(where: {
                $0.id == call.form["person"]
            }) {
                return try accept(request, call, person)
            }
        }
        let chooser = AccountChooser(
            request: request,
            people: standIns.people(at: call.kind),
            target: call.target
        )
        return answers.page(chooser.page)
    }

    private func accept(
        _ request: StandInRequest,
        _ call: StandInCall,
        _ person: StandInPerson
    ) throws -> Response {
        let consent = standIns.memory.withLock {
            $0.consent(
                of: person,
                to: request.client,
                at: call.kind,
                hidingEmail: person.hidesEmail || call.form["hide_email"] != nil
            )
        }
        let keepsEmail = call.kind == .facebook && call.form["keep_email"] != nil
        let grant = StandInGrant(
            kind: call.kind,
            client: request.client,
            person: person,
            hidesEmail: consent.hidesEmail,
            scopes: request.scopes.filter { !(keepsEmail && $0 == "email") },
            nonce: request.nonce,
            authTime: call.now,
            sessionID: call.moment.random.text(16)
        )
        let isAskedAnew = consent.isFirst || request.prompts.contains("consent")
        let code = standIns.newCode(
            for: grant,
            redirectURI: request.redirectURI,
            challenge: request.challenge,
            // PRV-G-7.
            isOffline: request.isOffline && (call.kind != .google || isAskedAnew),
            call.moment
        )
        var parameters = [(name: "code", value: code)]
        parameters += Self.extras(request, grant)
        if call.kind == .apple, consent.isFirst, let user = Self.user(grant) {
            parameters.append(("user", user))
        }
        return try send(parameters, request, call)
    }

    /// The members that Google adds.
    private static func extras(_ request: StandInRequest, _ grant: StandInGrant)
        -> [(name: String, value: String)]
    {
        guard request.kind == .google else { return [] }
        var extras = [
            (name: "scope", value: request.scopes.joined(separator: " ")),
            (name: "authuser", value: "0"),
        ]
        if let domain = grant.person.hostedDomain { extras.append(("hd", domain)) }
        extras.append(("prompt", request.prompts.first ?? "none"))
        return extras
    }

    /// Apple's `user`, the first time that a person consents (PRV-A-5).
    private static func user(_ grant: StandInGrant) -> String? {
        guard !Set(grant.scopes).isDisjoint(with: ["name", "email"]) else { return nil }
        var user = JSONObject()
        if grant.scopes.contains("name"), !grant.person.name.isEmpty {
            user["name"] = [
                "firstName": .string(grant.person.givenName),
                "lastName": .string(grant.person.familyName),
            ]
        }
        if let email = grant.email { user["email"] = .string(email) }
        return user.isEmpty ? nil : String(decoding: user.serialized(), as: UTF8.self)
    }

    /// The person refused, in each provider's form.
    private func cancel(_ request: StandInRequest, _ call: StandInCall) throws -> Response {
        switch call.kind {
        case .apple: try deny(request, call, "user_cancelled_authorize")
        case .google, .openID: try deny(request, call, "access_denied")
        case .facebook:
            try send(
                [
                    ("error", "access_denied"), ("error_code", "200"),
                    ("error_description", "Permissions error"), ("error_reason", "user_denied"),
                ],
                request,
                call
            )
        }
    }

    private func deny(_ request: StandInRequest, _ call: StandInCall, _ code: String) throws
        -> Response
    {
        try send([("error", code)], request, call)
    }

    private func send(
        _ parameters: [(name: String, value: String)],
        _ request: StandInRequest,
        _ call: StandInCall
    ) throws -> Response {
        var answer = AuthorizationAnswer(request: request, parameters: [])
        if let state = request.state { answer.parameters.append(("state", state)) }
        // RFC 9207 §2: for providers that announce it.
        if call.kind == .google || call.kind == .openID {
            answer.parameters.append(("iss", standIns.issuer(of: call.kind)))
        }
        answer.parameters += parameters
        return try answer.response(answers)
    }
}

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

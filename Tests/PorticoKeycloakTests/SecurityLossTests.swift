import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("What a realm would lose is said first") struct SecurityLossTests {
    private func weaker(_ members: String) async throws -> [String] {
        try await ImportSample.realm(members).report.lines(.weaker).map {
            "\($0.subject): \($0.words)"
        }
    }

    @Test("KC-M-2: losses of protection stand before everything else")
    func first() async throws {
        let report = try await ImportSample.realm(
            #""roles": {"realm": [{"name": "a"}]}, "loginTheme": "x", "passwordPolicy": "digits(1)""#
        ).report
        #expect(report.groups.first?.outcome == .weaker)
        let order = report.groups.map { ImportReport.Outcome.allCases.firstIndex(of: $0.outcome) }
        #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
    }

    @Test(
        "KC-M-2: a second factor that nothing here asks for is a loss",
        arguments: [
            (#"{"type": "webauthn", "secretData": "{}", "credentialData": "{}"}"#, true),
            (
                #"{"type": "otp", "secretData": "{\"value\": \"abcdefghijklmnop\"}","#
                    + #" "credentialData": "{\"subType\": \"hotp\"}"}"#, true
            ),
            (
                #"{"type": "otp", "secretData": "{\"value\": \"abcdefghijklmnop\"}","#
                    + #" "credentialData": "{\"subType\": \"totp\", \"algorithm\": \"HmacMD5\"}"}"#,
                true
            ),
            (
                #"{"type": "otp", "secretData": "{\"value\": \"abcdefghijklmnop\"}","#
                    + #" "credentialData": "{\"subType\": \"totp\"}"}"#, false
            ),
            // A way to sign in, not a second step.
            (
                #"{"type": "webauthn-passwordless", "secretData": "{}", "credentialData": "{}"}"#,
                false
            ),
            (#"{"value": "a password like any"}"#, false),
            // What cannot be read is not asked for either.
            (#"{"type": "otp", "credentialData": "{}"}"#, true),
            (#"{"type": "webauthn", "secretData": "{}", "credentialData": "["}"#, true),
            (#"{"type": "recovery-authn-codes", "secretData": ""}"#, true),
            (#"{"type": "unheard-of"}"#, true), (#"{"type": "webauthn-passwordless"}"#, false),
            // From before Keycloak 8.
            (#"{"type": "otp", "hashedSaltedValue": "abcdefghijklmnop", "digits": 6}"#, false),
            (#"{"type": "totp", "hashedSaltedValue": "abcdefghijklmnop"}"#, false),
            (#"{"type": "hotp", "hashedSaltedValue": "abcdefghijklmnop"}"#, true),
            (#"{"type": "totp", "hashedSaltedValue": "short"}"#, true),
            // Of passwords, no second step.
            (
                #"{"type": "password-history", "secretData": "{}", "credentialData": "{}"}"#,
                false
            ),
            (#"{"type": "password-history", "hashedSaltedValue": "x"}"#, false),
        ]
    )
    func secondFactors(credential: String, isLoss: Bool) async throws {
        let lines = try await weaker(
            #""users": [{"username": "u", "credentials": [\#(credential)]}]"#
        )
        #expect(lines.isEmpty == !isLoss, "\(lines)")
        if isLoss { #expect(lines.first?.hasPrefix("user u: ") == true) }
    }

    @Test(
        "KC-M-2: a stricter password policy is a loss, one that holds here too is none",
        arguments: [
            ("length(8)", 0), ("length(12)", 1), ("hashIterations(27500) and notUsername", 0),
            ("length(8) and digits(1) and passwordHistory(3)", 2), ("upperCase(1)", 1),
            ("forceExpiredPasswordChange(365)", 1), ("length", 1), ("regexPattern(^a and b$)", 2),
        ]
    )
    func passwordPolicy(policy: String, losses: Int) async throws {
        #expect(try await weaker(#""passwordPolicy": "\#(policy)""#).count == losses)
    }

    private static func flow(_ name: String, _ executions: String) -> String {
        #"{"alias": "\#(name)", "id": "id-\#(name)", "authenticationExecutions": [\#(executions)]}"#
    }

    private static func step(_ name: String, _ requirement: String) -> String {
        #"{"authenticator": "\#(name)", "requirement": "\#(requirement)"}"#
    }

    private static func sub(_ name: String, _ requirement: String) -> String {
        #"{"flowAlias": "\#(name)", "requirement": "\#(requirement)"}"#
    }

    /// A step of several, of which each person takes one.
    private static var chosenFactors: [([String], Bool)] {
        let password = step("auth-username-password-form", "REQUIRED")
        let role = step("conditional-user-role", "REQUIRED")
        let (otp, key) = (
            step("auth-otp-form", "ALTERNATIVE"), step("webauthn-authenticator", "ALTERNATIVE")
        )
        let cases: [(String, String, Bool)] = [
            ("REQUIRED", "\(otp), \(key)", true), ("REQUIRED", otp, true),
            ("REQUIRED", "\(otp), \(step("auth-spnego", "DISABLED"))", true),
            ("CONDITIONAL", "\(role), \(otp), \(key)", true),
            ("REQUIRED", "\(otp), \(step("auth-spnego", "ALTERNATIVE"))", false),
            ("REQUIRED", step("auth-otp-form", "DISABLED"), false),
            (
                "CONDITIONAL",
                "\(step("conditional-user-configured", "REQUIRED")), \(otp), \(key)", false
            ),
        ]
        return cases.map { requirement, steps, isLoss in
            ([flow("b", "\(password), \(sub("c", requirement))"), flow("c", steps)], isLoss)
        }
    }

    @Test("KC-M-2: a browser flow that lets no one in without a second factor is a loss")
    func flows() async throws {
        let password = Self.step("auth-username-password-form", "REQUIRED")
        let asked = Self.step("conditional-user-configured", "REQUIRED")
        let role = Self.step("conditional-user-role", "REQUIRED")
        let otp = Self.step("auth-otp-form", "REQUIRED")
        let cases: [([String], Bool)] = [
            ([Self.flow("b", "\(password), \(otp)")], true),
            ([Self.flow("b", "\(password), \(Self.step("auth-otp-form", "ALTERNATIVE"))")], false),
            // Keycloak's own.
            (
                [
                    Self.flow("b", "\(password), \(Self.sub("c", "CONDITIONAL"))"),
                    Self.flow("c", "\(asked), \(otp)"),
                ], false
            ),
            (
                [
                    Self.flow("b", "\(password), \(Self.sub("c", "CONDITIONAL"))"),
                    Self.flow("c", "\(role), \(otp)"),
                ], true
            ),
            ([Self.flow("b", Self.sub("c", "DISABLED")), Self.flow("c", otp)], false),
            ([Self.flow("b", Self.sub("c", "REQUIRED")), Self.flow("c", otp)], true),
            // One that goes round.
            (
                [
                    Self.flow("b", Self.sub("c", "REQUIRED")),
                    Self.flow("c", Self.sub("b", "REQUIRED")),
                ], false
            ),
            ([Self.flow("b", password), Self.flow("unused", otp)], false),
        ]
        for (flows, isLoss) in cases + Self.chosenFactors {
            let list = #""authenticationFlows": [\#(flows.joined(separator: ","))]"#
            #expect(
                try await weaker(#""browserFlow": "b", \#(list)"#).isEmpty == !isLoss,
                "\(flows)"
            )
        }
        let bound = try await weaker(
            #""authenticationFlows": [\#(Self.flow("b", password)), \#(Self.flow("c", otp))],"#
                + #" "clients": [{"clientId": "a","#
                + #" "authenticationFlowBindingOverrides": {"browser": "id-c"}}]"#
        )
        #expect(bound.count == 1 && bound.first?.hasPrefix("client a: ") == true)
    }

    @Test("KC-M-2: flows that lead on and on, and round, are followed once for all clients")
    func longFlows() throws {
        func flow(_ name: String, _ member: String, _ value: String) -> JSONObject {
            let step: JSONObject = ["requirement": "REQUIRED", member: .string(value)]
            return [
                "id": .string("id-\(name)"), "alias": .string(name),
                "authenticationExecutions": [.object(step)],
            ]
        }
        let length = 50_000
        var flows = (0..<length).map { flow("\($0)", "flowAlias", "\($0 + 1)") }
        flows += [flow("one", "flowAlias", "two"), flow("two", "flowAlias", "one")]
        let clients: [JSONObject] = (0..<1000).map {
            [
                "clientId": .string("c\($0)"),
                "authenticationFlowBindingOverrides": ["browser": "id-0"],
            ]
        }
        for (last, count) in [("auth-otp-form", 1001), ("auth-cookie", 0)] {
            let all = flows + [flow("\(length)", "authenticator", last)]
            let report = try FlowDemands(FlowSet(all)).report(browserFlow: "0", clients: clients)
            #expect(report.count(.weaker) == count)
        }
        let round = try FlowDemands(FlowSet(flows)).report(browserFlow: "one", clients: [])
        #expect(round.count(.weaker) == 0)
    }

    @Test("KC-M-2: client policies and demanded second factors are losses where they are on")
    func policies() async throws {
        for (isOn, count) in [(true, 1), (false, 0)] {
            let policy = #""clientPolicies": {"policies": [{"name": "p", "enabled": \#(isOn)}]}"#
            #expect(try await weaker(policy).count == count)
            let action =
                #""requiredActions": [{"alias": "CONFIGURE_TOTP", "enabled": true,"#
                + #" "defaultAction": \#(isOn)}]"#
            #expect(try await weaker(action).count == count)
        }
        #expect(
            try await weaker(
                #""requiredActions": [{"alias": "VERIFY_EMAIL", "enabled": true, "defaultAction": true}]"#
            ).isEmpty
        )
        for name in ["minimum.acr.value", "default.acr.values"] {
            let level = #""clients": [{"clientId": "a", "attributes": {"\#(name)": "gold"}}]"#
            #expect(try await weaker(level).first?.hasPrefix("client a: \(name)") == true)
            #expect(try await weaker(level.replacing("gold", with: "1")).isEmpty)
        }
    }

    @Test(
        "KC-M-2: a client whose tokens were bound to a certificate comes disabled, to a key with that rule"
    )
    func boundClients() async throws {
        let clients = try await ImportSample.clients([
            #""publicClient": true, "attributes": {"dpop.bound.access.tokens": "true"}"#,
            #""attributes": {"tls.client.certificate.bound.access.tokens": "true"}"#,
            #""attributes": {"dpop.bound.access.tokens": "false"}"#,
        ])
        #expect(clients.map { $0.client?.isEnabled } == [true, false, true])
        #expect(clients.map { $0.client?.dpopBoundAccessTokens } == [true, false, false])
        #expect(clients.map { $0.says(.disabled, "certificate") } == [false, true, false])
        #expect(clients.allSatisfy { !$0.lines.contains { $0.outcome == .weaker } })
    }

    @Test(
        "KC-M-2: what an attribute or a setting switches on is on in any case of `true`, and off otherwise"
    )
    func anyCase() async throws {
        let clients = try await ImportSample.clients([
            #""attributes": {"tls.client.certificate.bound.access.tokens": "True"}"#,
            #""publicClient": true, "attributes": {"dpop.bound.access.tokens": "TRUE","#
                + #" "require.pushed.authorization.requests": "tRue", "use.refresh.tokens": "False"}"#,
            #""publicClient": true, "attributes": {"dpop.bound.access.tokens": "yes","#
                + #" "require.pushed.authorization.requests": "on", "use.refresh.tokens": "no"}"#,
        ])
        #expect(clients.map { $0.client?.isEnabled } == [false, true, true])
        #expect(clients.map { $0.client?.dpopBoundAccessTokens } == [false, true, false])
        #expect(clients.map { $0.client?.requiresPushedRequests } == [false, true, false])
        let refreshes = clients.map { $0.client?.grantTypes.contains(.refreshToken) }
        #expect(refreshes == [true, false, false])
        for (text, isOn) in [("True", true), ("TRUE", true), ("False", false), ("no", false)] {
            let value = JSONValue.string(text)
            for (enabled, active) in [(value, "true"), ("true", value)] as [(JSONValue, JSONValue)]
            {
                let json: JSONValue = [
                    "name": "k", "providerId": "rsa-generated",
                    "config": ["enabled": [enabled], "active": [active]],
                ]
                let key = try KeyComponent(Representation(json, path: "k"))
                #expect(key.isActive == isOn, "\(json)")
            }
        }
    }

    @Test("Each field that nothing acts on is named with its reason, of clients and people too")
    func fields() async throws {
        let report = try await ImportSample.realm(
            """
            "bruteForceProtected": true, "failureFactor": 5, "otpPolicyLookAheadWindow": 1,
            "otpPolicyDigits": 8, "madeUp": "x", "rememberMe": false,
            "attributes": {"frontendUrl": "https://x.example", "cibaInterval": "5"},
            "clients": [{"clientId": "a", "adminUrl": "https://a.example", "madeUp": 1,
                "attributes": {"saml.x": "y", "jwks.url": "https://a.example/jwks"}}],
            "users": [{"username": "u", "federationLink": "ldap", "totp": true, "madeUp": 1}]
            """
        ).report
        #expect(report.says(.ignored, "bruteForceProtected", "own rules"))
        #expect(report.says(.ignored, "failureFactor", "own rules"))
        #expect(report.says(.ignored, "otpPolicyDigits", "six digits"))
        #expect(report.says(.ignored, "madeUp", "knows the field"))
        #expect(report.says(.skipped, "attributes", "frontendUrl: an address of its own"))
        #expect(report.says(.ignored, "attributes", "cibaInterval"))
        #expect(report.says(.skipped, "client a", "adminUrl"))
        #expect(report.says(.ignored, "client a", "madeUp"))
        #expect(report.says(.ignored, "client a", "saml.x"))
        #expect(report.says(.skipped, "client a", "jwks.url"))
        #expect(report.says(.skipped, "user u", "federationLink"))
        #expect(report.says(.ignored, "user u", "madeUp"))
        for name in ["otpPolicyLookAheadWindow", "rememberMe", "totp"] {
            #expect(!report.lines.contains { $0.subject == name || $0.words.contains(name) })
        }
    }

    @Test("A report of many is as long as one of few, and counts all")
    func bounded() {
        var report = ImportReport(realm: "r")
        for number in 0..<5000 {
            report.add(.read, "user \(number)", "with a password")
            report.add(.skipped, "user \(number)", "role \(number)", "it is not imported")
            report.add(.changed, "user \(number)", "words of its own \(number)")
        }
        report.add(.weaker, "user x", "a loss")
        #expect(report.count(.read) == 5000 && report.count(.skipped) == 5000)
        #expect(report.count(.changed) == 5000)
        #expect(report.groups.count < 1100 && report.lines.count < 1100)
        #expect(report.groups.first?.outcome == .weaker)
        #expect(report.lines(.skipped).first?.words == "role 0: it is not imported")
        #expect(report.lines(.skipped).count == 20)
    }
}

import HTTPTypes
import PorticoTestSupport
import Testing

/// The first request of an app that follows a guide, typed as it is printed there, but for values of the
/// moment.
@Suite("serve --demo, and the first requests of apps") struct DemoFirstRequestTests {
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("an app that names neither itself nor its redirect comes back with a code")
    func backend() async throws {
        try await DemoServer.run { server in
            let person = WebPerson()
            let address =
                "\(server.url)/v1/auth/google?code_challenge=\(Self.challenge)&platform=mobile"
            let question = try await person.get(address)
            #expect(question.status == 200, "\(question.text)")
            #expect(question.formAction != nil)
            try await person.close()
        }
    }

    @Test("an app that sends a handle alone gets its session in the address that it is opened with")
    func handle() async throws {
        try await DemoServer.run { server in
            let ann = "ann.handles.test"
            let person = WebPerson()
            let page = try await person.get("\(server.url)/login?handle=\(ann)&mobile=true")
            let question = try await person.submit(
                page,
                from: server.host,
                [("username", ann), ("password", server.handles[ann] ?? "")]
            )
            let end = try await person.submit(question, from: server.host, [("action", "allow")])
            let way = end.headers[.location] ?? end.text
            #expect(way.contains("myapp://auth-callback?session_token=Fe26.2"), "\(way)")
            try await person.close()
        }
    }

    @Test("an Expo app that expects Keycloak comes back to its own address")
    func article() async throws {
        try await DemoServer.run { server in
            let person = WebPerson()
            let realm = "\(server.url)/realms/test/protocol/openid-connect"
            let end = try await person.signIn(
                at: "\(realm)/auth?code_challenge=\(Self.challenge)&code_challenge_method=S256"
                    + "&redirect_uri=exp://192.168.178.95:8081&client_id=rn-expo-app"
                    + "&response_type=code&state=xyz&scope=openid+profile",
                "jd",
                server.passwords["jd"] ?? ""
            )
            let location = end.headers[.location] ?? ""
            #expect(location.hasPrefix("exp://192.168.178.95:8081"), "\(end.text)")
            #expect(location.contains("code="))
            try await person.close()
        }
    }
}

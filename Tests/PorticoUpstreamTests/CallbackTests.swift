import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("What comes back from a provider")
struct CallbackTests {
    private func refusal(
        _ scene: Scene,
        _ attempt: Attempt,
        _ parameters: [(String, String)]
    ) async -> SignInError.Kind? {
        let answer = FormParameters(parameters.map { (name: $0.0, value: $0.1) })
        return await kind(of: { _ = try await scene.client.code(in: answer, to: attempt) })
    }

    @Test("attack E01: without state, with an empty, another or a later attempt's, nothing is sent")
    func state() async throws {
        let scene = try Scene(.google)
        let attempt = try await scene.begin().attempt
        let other = try await scene.begin().attempt
        let good = attempt.state.reveal()
        for parameters in [
            [("code", "c")], [("code", "c"), ("state", "")], [("code", "c"), ("state", "x")],
            [("code", "c"), ("state", good + "x")],
            [("code", "c"), ("state", other.state.reveal())], [("error", "access_denied")],
            [("error", "access_denied"), ("state", "")],
        ] {
            #expect(await refusal(scene, attempt, parameters) == .rejected(.state))
        }
        #expect(scene.world.requests(scene.addresses.token).isEmpty)
        // The attempt is as it was.
        let code = try await scene.client.code(in: scene.answer(to: attempt), to: attempt)
        #expect(code.reveal() == "c0de")
    }

    @Test("attack E07: code with error, and anything twice, is no answer, and nothing is sent")
    func repeats() async throws {
        let scene = try Scene(.google)
        let attempt = try await scene.begin().attempt
        let state = ("state", attempt.state.reveal())
        for (parameters, check) in [
            ([("code", "c"), ("error", "access_denied"), state], .response),
            ([("code", "c"), ("code", "c"), state], .response),
            ([("code", "c"), state, state], .state),
            ([("code", "c"), state, ("scope", "a"), ("scope", "b")], .response),
            ([("code", ""), state], .response), ([state], .response),
            ([("code", "c"), state, ("access_token", "t")], .response),
            ([("code", "c"), state, ("id_token", "t")], .response),
        ] as [([(String, String)], SignInError.Check)] {
            #expect(await refusal(scene, attempt, parameters) == .rejected(check))
        }
        #expect(scene.world.requests(scene.addresses.token).isEmpty)
    }

    @Test(
        "attack E09: the answer of one provider at the address of another is refused first of all"
    )
    func otherProvider() async throws {
        let google = try Scene(.google)
        let apple = try Scene(.apple, secret: Scene.pem)
        // Both are named "x" here: what differs is the issuer.
        let attempt = try await google.begin().attempt
        let failure = await kind(of: {
            _ = try await apple.client.code(in: google.answer(to: attempt), to: attempt)
        })
        #expect(failure == .rejected(.redirect))
        #expect(apple.world.requests.isEmpty)
        let renamed = Attempt(
            id: attempt.id,
            provider: "y",
            issuer: attempt.issuer,
            startedAt: attempt.startedAt,
            maxAge: nil,
            secrets: attempt.secrets,
            key: nil
        )
        #expect(
            await refusal(
                google,
                renamed,
                [("code", "c"), ("state", attempt.state.reveal())]
            ) == .rejected(.redirect)
        )
    }

    @Test("attack E04: mix-up: another provider's code is not sent to this one's token endpoint")
    func mixUp() async throws {
        // An evil provider sent the person on to Google, and Google's answer comes in at evil's
        // address: it names Google as its issuer, or is not evil's attempt at all.
        let evil = try Scene(.oidc)
        let attempt = try await evil.begin().attempt
        let answer = evil.answer(to: attempt, [("iss", "https://accounts.google.com")])
        let failure = await kind(of: { _ = try await evil.client.code(in: answer, to: attempt) })
        #expect(failure == .rejected(.issuer))
        #expect(evil.world.requests(evil.addresses.token).isEmpty)
    }

    @Test("PRV-G-8: iss is required where it is announced, and compared; errors need it too")
    func issuer() async throws {
        let scene = try Scene(
            .google,
            metadata: ["authorization_response_iss_parameter_supported": true]
        )
        let attempt = try await scene.begin().attempt
        let state = ("state", attempt.state.reveal())
        for parameters in [
            [("code", "c"), state], [("code", "c"), state, ("iss", "")],
            [("code", "c"), state, ("iss", "accounts.google.com")],
            [("code", "c"), state, ("iss", "https://accounts.google.com/")],
            [("code", "c"), state, ("iss", "https://evil.example")],
            [("error", "access_denied"), state],
        ] {
            #expect(await refusal(scene, attempt, parameters) == .rejected(.issuer))
        }
        #expect(scene.world.requests(scene.addresses.token).isEmpty)
        let answer = scene.answer(to: attempt, [("iss", "https://accounts.google.com")])
        #expect(try await scene.client.code(in: answer, to: attempt).reveal() == "c0de")
    }

    @Test(
        "PRV-E-1, PRV-A-22, PRV-F-12: what errors mean, a change of mind above all",
        arguments: [
            (.google, "access_denied", .denied),
            (.apple, "user_cancelled_authorize", .denied),
            (.facebook, "access_denied", .denied),
            (.oidc, "consent_required", .denied),
            (.keycloak, "consent_required", .denied),
            (.oidc, "user_cancelled_authorize", .denied), (.oidc, "user_cancelled_login", .denied),
            (.oidc, "login_required", .interactionRequired(.loginRequired)),
            (.oidc, "temporarily_unavailable", .transient(.serverError, retryAfter: nil)),
            (.oidc, "unauthorized_client", .misconfigured(.clientRefused)),
        ] as [(IdentityProvider.Kind, String, SignInError.Kind)]
    )
    func errors(kind: IdentityProvider.Kind, code: String, expected: SignInError.Kind) async throws
    {
        let scene = try Scene(kind, secret: kind == .apple ? Scene.pem : "s")
        let attempt = try await scene.begin().attempt
        let parameters = [
            ("error", code), ("state", attempt.state.reveal()),
            ("error_description", "SECRET words"), ("error_reason", "user_denied"),
        ]
        let failure = await refusal(scene, attempt, parameters)
        #expect(failure == expected)
        #expect(!"\(String(describing: failure))".contains("SECRET"))
        #expect(scene.world.requests(scene.addresses.token).isEmpty)
    }
}

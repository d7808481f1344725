import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Google")
struct GoogleTests {
    private let scene: Scene

    init() throws {
        scene = try Scene(.google)
    }

    private let profile: JSONObject = [
        "email": "alice@gmail.com", "email_verified": true, "name": "Alice",
        "picture":
            "https://lh3.example/a", "hd": .null,
    ]

    @Test("PRV-G-1: everything but the issuer is taken from the document that Google serves")
    func discovery() async throws {
        let person = try await scene.signIn(claims: profile)
        #expect(person.issuer == "https://accounts.google.com" && person.subject == "alice")
        #expect(person.name == "Alice" && person.picture == "https://lh3.example/a")
        #expect(
            scene.world.requests.map(\.address) == [
                "https://accounts.google.com/.well-known/openid-configuration",
                "https://oauth2.googleapis.com/token",
                "https://www.googleapis.com/oauth2/v3/certs",
            ]
        )
        let address = try await scene.begin().address
        #expect(address.hasPrefix("https://accounts.google.com/auth?"))
        #expect(scene.client.provider.navigationSources == ["https://accounts.google.com"])
    }

    @Test("attack E22, PRV-G-2: the older spelling of the issuer is the same account; no third is")
    func issuers() async throws {
        let person = try await scene.signIn(claims: ["iss": "accounts.google.com"])
        #expect(person.issuer == "https://accounts.google.com")
        for other in [
            "https://accounts.google.com.evil.example", "https://accounts.google.com/",
            "http://accounts.google.com", "Accounts.google.com", "accounts.google.com.",
        ] {
            #expect(await scene.failure(claims: ["iss": .string(other)]) == .rejected(.issuer))
        }
        // For Google only.
        let other = try Scene(.oidc)
        #expect(await other.failure(claims: ["iss": "op.example.com"]) == .rejected(.issuer))
    }

    @Test("attack E22, PRV-G-3: the audience is ours, and so is whom it was issued to")
    func audience() async throws {
        #expect(await scene.failure(claims: ["aud": "another"]) == .rejected(.audience))
        #expect(
            await scene.failure(claims: ["aud": ["us", "another"], "azp": "us"])
                == .rejected(.audience)
        )
        #expect(
            await scene.failure(claims: ["aud": "us", "azp": "another"])
                == .rejected(.authorizedParty)
        )
    }

    @Test("attack E22, PRV-G-4: an organisation's domain is the claim hd, not the address's end")
    func hostedDomain() async throws {
        let scene = try Scene(.google, ["hostedDomains": ["example.com", "example.org"]])
        let address: JSONObject = ["email": "a@example.com", "email_verified": true]
        #expect(await scene.failure(claims: address) == .rejected(.hostedDomain))
        for domain in ["evil.example", "EXAMPLE.COM", ""] {
            #expect(
                await scene.failure(claims: ["hd": .string(domain)]) == .rejected(.hostedDomain)
            )
        }
        #expect(try await scene.signIn(claims: ["hd": "example.org"]).isAuthoritative)
        // A single one is a hint for the account chooser, too.
        let single = try Scene(.google, ["hostedDomains": ["example.com"]])
        #expect(try parameter("hd", of: try await single.begin().address) == "example.com")
        #expect(try parameter("hd", of: try await scene.begin().address) == nil)
    }

    @Test(
        "attack E22, PRV-G-6: an address counts once verified; authority is over gmail.com, or by hd",
        arguments: [
            ("a@gmail.com", true, nil, .linkable), ("A@GMAIL.COM", true, nil, .linkable),
            ("a@example.com", true, "example.com", .linkable),
            ("a@example.com", true, nil, .ask), ("a@example.com", true, "", .ask),
            ("a@gmail.com", false, nil, .never), ("a@example.com", false, "example.com", .never),
            ("a@gmail.com.evil.example", true, nil, .ask), ("a@notgmail.com", true, nil, .ask),
        ] as [(String, Bool, String?, ProvenPerson.EmailMatch)]
    )
    func email(
        address: String,
        isVerified: Bool,
        domain: String?,
        match: ProvenPerson.EmailMatch
    ) async throws {
        let person = try await scene.signIn(claims: [
            "email": .string(address), "email_verified": .bool(isVerified),
            "hd": domain.map { .string($0) } ?? .null,
        ])
        #expect(person.matchesEmail == match)
        #expect(person.isAuthoritative == (match == .linkable))
        #expect(
            person.email
                == ProvenPerson.Email(address: address, isVerified: isVerified, isRelay: false)
        )
    }

    @Test("PRV-G-5: the subject is the key, whatever the address says")
    func subject() async throws {
        let first = try await scene.signIn(claims: profile)
        let second = try await scene.signIn(claims: ["email": "new@gmail.com"])
        #expect(first.subject == second.subject && first.issuer == second.issuer)
        #expect(second.email?.address == "new@gmail.com")
    }

    @Test("PRV-G-7: a refresh token is asked for where it is wanted, and may be missing later")
    func offline() async throws {
        let usual = try await Scene(.google).begin(UpstreamRequest(prompt: .selectAccount)).address
        #expect(try parameter("access_type", of: usual) == nil)
        #expect(try parameter("prompt", of: usual) == "select_account")
        let scene = try Scene(.google, ["offline": true])
        let address = try await scene.begin(UpstreamRequest(prompt: .selectAccount)).address
        #expect(try parameter("access_type", of: address) == "offline")
        #expect(try parameter("prompt", of: address) == "select_account consent")
        #expect(try await scene.signIn().refreshToken?.reveal() == "R1")
        scene.tell { $0.tokens = ["refresh_token": .null] }
        #expect(try await scene.signIn().refreshToken == nil)
    }

    @Test("PRV-G-9: keys live as long as their reply says, and are fetched anew for an unknown one")
    func keys() async throws {
        scene.world.answer(scene.addresses.keys) { _ in
            var reply = Scene.keySet([Scene.key])
            reply.response.headerFields[.cacheControl] = "public, max-age=20000, must-revalidate"
            return reply
        }
        let fetches = { scene.world.requests(scene.addresses.keys).count }
        _ = try await scene.signIn()
        scene.clock.advance(by: 19_999)
        _ = try await scene.signIn()
        #expect(fetches() == 1)
        scene.clock.advance(by: 1)
        _ = try await scene.signIn()
        #expect(fetches() == 2)
        // Rotation without notice, once a minute at most.
        let rotated = Scene.newKey(.rs256, "k2")
        scene.tell { $0.signer = rotated }
        #expect(await scene.failure() == .rejected(.key))
        #expect(await scene.failure() == .rejected(.key))
        #expect(fetches() == 3)
        scene.clock.advance(by: 60)
        scene.world.answer(scene.addresses.keys) { _ in Scene.keySet([Scene.key, rotated]) }
        _ = try await scene.signIn()
        #expect(fetches() == 4)
        // Without a word about it, a day.
        scene.clock.advance(by: 86_399)
        _ = try await scene.signIn()
        #expect(fetches() == 4)
        scene.clock.advance(by: 1)
        _ = try await scene.signIn()
        #expect(fetches() == 5)
    }

    @Test("WEB-INPUT-1: a life of keys in a field of many marks is not read: a day")
    func keyLife() async throws {
        scene.world.answer(scene.addresses.keys) { _ in
            var reply = Scene.keySet([Scene.key])
            let marks = String(repeating: "\u{301}\u{316}", count: 10_000)
            reply.response.headerFields[.cacheControl] = "max-age=20000, x=\(marks)"
            return reply
        }
        _ = try await scene.signIn()
        scene.clock.advance(by: 86_399)
        _ = try await scene.signIn()
        #expect(scene.world.requests(scene.addresses.keys).count == 1)
    }

    @Test("PRV-G-10: RS256 and nothing else, whatever the metadata lists")
    func algorithm() async throws {
        scene.tell { $0.signer = Scene.p256 }
        #expect(await scene.failure() == .rejected(.algorithm))
        let header = Base64URL.encode(Array(#"{"alg":"HS256","kid":"k1"}"#.utf8))
        scene.tell { $0.tokens = ["id_token": .string("\(header).e30.AA")] }
        #expect(await scene.failure() == .rejected(.algorithm))
        scene.tell { $0 = Scene.Told(signer: Scene.otherKey) }
        #expect(await scene.failure() == .rejected(.signature))
    }
}

import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("A provider's settings")
struct ProviderSettingsTests {
    private func provider(
        _ kind: IdentityProvider.Kind,
        _ change: JSONObject = [:],
        name: String = "x",
        allowingStandIns: Bool = false
    ) throws(IdentityProviderRefusal) -> IdentityProvider {
        try IdentityProvider(
            name: name,
            kind: kind,
            settings: Scene.settings(kind, change),
            allowingStandIns: allowingStandIns
        )
    }

    @Test(
        "Every kind is read from what it must have, and keeps its settings",
        arguments: IdentityProvider.Kind.allCases
    )
    func kinds(kind: IdentityProvider.Kind) throws {
        let provider = try provider(kind, ["displayName": "Ours"])
        #expect(provider.kind == kind && provider.name == "x" && provider.displayName == "Ours")
        let again = try IdentityProvider(name: "x", kind: kind, settings: provider.settings)
        #expect(again.settings == provider.settings)
        #expect(again.canonicalIssuer == provider.canonicalIssuer)
        #expect(again.clientID == "us")
    }

    @Test(
        "What is missing, malformed or not a setting of the kind is refused by name",
        arguments: [
            (.google, ["clientID": .null], .missing(.clientID)),
            (.google, ["clientID": ""], .malformed(.clientID)),
            (.google, ["clientID": 7], .malformed(.clientID)),
            (.google, ["clientId": "x"], .unknownSetting),
            (.google, ["teamID": "x"], .unknownSetting),
            (.google, ["hostedDomains": "example.com"], .malformed(.hostedDomains)),
            (.google, ["hostedDomains": [""]], .malformed(.hostedDomains)),
            (.google, ["offline": "yes"], .malformed(.offline)),
            (.google, ["scopes": ["a b"]], .malformed(.scopes)),
            (.apple, ["teamID": .null], .missing(.teamID)),
            (.apple, ["keyID": .null], .missing(.keyID)),
            (.facebook, ["version": "23"], .malformed(.version)),
            (.facebook, ["version": "v1.0/../x"], .malformed(.version)),
            (.oidc, ["issuer": .null], .missing(.issuer)),
            (.oidc, ["issuer": "op.example.com"], .malformed(.issuer)),
            (.oidc, ["issuer": "https://op.example.com/?a"], .malformed(.issuer)),
            (.oidc, ["issuer": "http://op.example.com"], .insecureIssuer),
            (.oidc, ["issuer": "http://127.0.0.1:8080"], .insecureIssuer),
            (
                .oidc, ["issuer": "http://op.example.com", "allowInsecureLoopback": true],
                .insecureIssuer
            ),
            (
                .oidc, ["issuer": "http://localhost.evil", "allowInsecureLoopback": true],
                .insecureIssuer
            ),
            (.oidc, ["issuer": "http://localhost:1"], .insecureIssuer),
            (.oidc, ["algorithms": ["HS256"]], .malformed(.algorithms)),
            (.oidc, ["algorithms": ["none"]], .malformed(.algorithms)),
            (.oidc, ["algorithms": []], .malformed(.algorithms)),
            (.oidc, ["authentication": "none"], .malformed(.authentication)),
            (.oidc, ["standIn": "http://localhost:1"], .standInRefused),
        ] as [(IdentityProvider.Kind, JSONObject, IdentityProviderRefusal)]
    )
    func refused(
        kind: IdentityProvider.Kind,
        change: JSONObject,
        expected: IdentityProviderRefusal
    ) {
        #expect(throws: expected) { try provider(kind, change) }
    }

    @Test(
        "Names are short, of lower-case letters, digits and hyphens",
        arguments: [
            "", "Google", "a b", "a/b", "ä", "a_b", String(repeating: "a", count: 33),
        ]
    )
    func names(name: String) {
        #expect(throws: IdentityProviderRefusal.name) { try provider(.google, name: name) }
    }

    @Test("PRV-A-13: a stand-in takes a provider's place only where stand-ins are allowed")
    func standIns() throws {
        for kind in [IdentityProvider.Kind.google, .facebook, .apple] {
            for origin in ["http://localhost:9001/base", "http://127.0.0.1:9001"] {
                let settings: JSONObject = ["standIn": .string(origin)]
                #expect(throws: IdentityProviderRefusal.standInRefused) {
                    try provider(kind, settings)
                }
                let standIn = try provider(kind, settings, allowingStandIns: true)
                // Its people are not those of the provider.
                #expect(standIn.canonicalIssuer == origin)
                #expect(standIn.navigationSources == [origin.replacing("/base", with: "")])
                #expect(standIn.permits(redirectURI: "http://127.0.0.1:8080/cb"))
            }
            for origin in [
                "http://evil.example", "http://localhost.evil.example", "http://10.0.0.1",
            ] {
                #expect(throws: IdentityProviderRefusal.insecureIssuer) {
                    try provider(kind, ["standIn": .string(origin)], allowingStandIns: true)
                }
            }
            #expect(throws: IdentityProviderRefusal.malformed(.standIn)) {
                try provider(
                    kind,
                    ["standIn": "http://localhost:1/x/"],
                    allowingStandIns: true
                )
            }
        }
        // An OpenID provider has an issuer of its own, which may be on this machine by its name.
        let issuer: JSONValue = "http://localhost:9001/x"
        #expect(throws: IdentityProviderRefusal.insecureIssuer) {
            try provider(.oidc, ["issuer": issuer], allowingStandIns: true)
        }
        let own = try provider(.oidc, ["issuer": issuer, "allowInsecureLoopback": true])
        #expect(own.canonicalIssuer == "http://localhost:9001/x")
        #expect(own.navigationSources == ["http://localhost:9001"])
        let settings: JSONObject = ["issuer": issuer, "standIn": "http://localhost:9001"]
        let named = try provider(.oidc, settings, allowingStandIns: true)
        #expect(named.canonicalIssuer == "http://localhost:9001/x")
        let facebook = try provider(
            .facebook,
            ["standIn": "http://localhost:9002"],
            allowingStandIns: true
        )
        #expect(facebook.graph == "http://localhost:9002/v23.0")
        #expect(
            facebook.profile.metadata?.authorizationEndpoint
                == "http://localhost:9002/v23.0/dialog/oauth"
        )
    }

    @Test("Where a page's form may lead: known origins, else https, or a provider on this machine")
    func navigation() throws {
        #expect(try provider(.google).navigationSources == ["https://accounts.google.com"])
        #expect(try provider(.apple).navigationSources == ["https://appleid.apple.com"])
        #expect(
            try provider(.facebook).navigationSources
                == ["https://www.facebook.com", "https://m.facebook.com"]
        )
        #expect(try provider(.oidc).navigationSources == ["https:"])
        let local: JSONObject = [
            "issuer": "http://127.0.0.1:8080/realms/a", "allowInsecureLoopback": true,
        ]
        #expect(try provider(.keycloak, local).navigationSources == ["http://127.0.0.1:8080"])
    }

    @Test("PRV-A-11: each provider takes its own sort of secret")
    func secrets() throws {
        let text = try ProviderSecret(SecretText("s"))
        let key = try ProviderSecret(SecretText(Scene.pem))
        for (settings, kind, good) in [
            ([:], .google, [text]), ([:], .facebook, [text]), ([:], .apple, [key]),
            ([:], .oidc, [text, nil]), (["keyID": "k"], .oidc, [key]),
            (["authentication": "private_key_jwt"], .keycloak, [key]),
        ] as [(JSONObject, IdentityProvider.Kind, [ProviderSecret?])] {
            let provider = try provider(kind, settings)
            for secret in [text, key, nil] {
                let isGood = good.contains { String(describing: $0) == String(describing: secret) }
                if isGood {
                    try provider.check(secret)
                } else {
                    #expect(throws: IdentityProviderRefusal.otherSecret) {
                        try provider.check(secret)
                    }
                }
            }
        }
    }

    @Test("Every refusal has words of its own, and they are ours")
    func words() {
        let refusals: [IdentityProviderRefusal] =
            [
                .name, .unknownSetting, .insecureIssuer, .templatedIssuer, .standInRefused,
                .otherSecret, .key,
            ] + ProviderSetting.allCases.flatMap { [.missing($0), .malformed($0)] }
        #expect(Set(refusals.map(\.description)).count == refusals.count)
    }
}

import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoProgram

@Suite("A claim on the command line")
struct ClaimSourceTests {
    @Test(
        "what --claim takes is what show writes",
        arguments: [
            ("groups=roles", .realmRoles(prefix: ""), true),
            ("groups=roles:shop", .clientRoles(of: "shop", prefix: ""), true),
            ("a=roles:b:c", .clientRoles(of: "b:c", prefix: ""), true),
            ("p=attribute:x", .attribute("x", aggregates: false), false),
            ("p=attribute:x[]", .attribute("x", aggregates: false), true),
            ("t=value:a=b:c", .fixedClaim("a=b:c"), false),
            ("t=value:", .fixedClaim(""), false),
            ("https://example.com/r=roles", .realmRoles(prefix: ""), true),
        ] as [(String, ClaimMapper.Kind, Bool)]
    )
    func read(text: String, kind: ClaimMapper.Kind, isMultivalued: Bool) throws {
        let mapper = try ClaimSource(text).mapper(id: "m")
        #expect(mapper.kind == kind && mapper.isMultivalued == isMultivalued)
        #expect(mapper.targets == ClaimMapper.Target.usual)
        #expect("\(mapper.topClaim ?? "")=\(mapper.source ?? "")" == text)
    }

    @Test(
        "anything else is refused, whatever its length",
        arguments: [
            "", "groups", "=roles", "groups=", "groups=role", "groups=roles:", "p=attribute",
            "p=attribute:", "p=attribute:[]", "p=value", "p=Roles",
            "p=value:" + String(repeating: "a", count: 5000),
            String(repeating: "e\u{301}", count: 5000),
        ]
    )
    func refused(text: String) {
        do {
            _ = try ClaimSource(text)
            Issue.record("\(text.prefix(40)) was taken")
        } catch {
            #expect(error.problem == .wrongValue)
            #expect(error.what.utf8.count < 2000)
        }
    }

    @Test("a claim has one source: the latest, in the place of the one before; names are unique")
    func replaced() throws {
        var client = Client(
            id: "c",
            realmID: "r",
            clientID: "c",
            name: "c",
            type: .confidential,
            authentication: .clientSecretBasic
        )
        func apply(_ options: String...) throws {
            try ClientFields.parse(options).apply(to: &client, random: .system)
        }
        try apply("--claim", "a=roles", "--claim", "b=roles")
        let ids = client.mappers.map(\.id)
        try apply("--claim", "a=value:x", "--audience", "api")
        let changed = client
        try apply("--audience", "api", "--claim", "b=roles")
        #expect(client == changed)
        #expect(client.mappers.map(\.name) == ["a", "b", "audience api"])
        #expect(
            client.mappers.map(\.kind) == [
                .fixedClaim("x"), .realmRoles(prefix: ""), .audience("api"),
            ]
        )
        #expect(client.mappers.prefix(2).map(\.id) == ids)
        #expect(client.mappers.last?.targets == [.accessToken, .introspection])
        client.mappers[0].claim = ClaimPath(names: ["a", "b"])
        #expect(throws: Failure.self) { try apply("--claim", "a=roles") }
    }
}

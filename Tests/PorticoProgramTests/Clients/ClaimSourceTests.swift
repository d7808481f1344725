import ArgumentParser
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoProgram

@Suite("A claim on the command line")
struct ClaimSourceTests {
    @Test(
        "what --claim takes is what show writes",
        arguments: [
            ("groups=roles", ClaimMapper.Source.realmRoles(claim: "groups")),
            ("groups=roles:shop", .clientRoles(clientID: "shop", claim: "groups")),
            ("a=roles:b:c", .clientRoles(clientID: "b:c", claim: "a")),
            ("p=attribute:x", .attribute(name: "x", claim: "p", isMultivalued: false)),
            ("p=attribute:x[]", .attribute(name: "x", claim: "p", isMultivalued: true)),
            ("t=value:a=b:c", .fixed(claim: "t", value: .string("a=b:c"))),
            ("t=value:", .fixed(claim: "t", value: .string(""))),
            ("https://example.com/r=roles", .realmRoles(claim: "https://example.com/r")),
        ]
    )
    func read(text: String, source: ClaimMapper.Source) throws {
        let read = try ClaimSource(text).source
        #expect(read == source)
        #expect("\(read.claim ?? "")=\(read.text)" == text)
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

    @Test("a claim has one source: the latest, in the place of the one before")
    func replaced() throws {
        var client = Client(
            id: "c",
            realmID: "r",
            clientID: "c",
            name: "c",
            type: .confidential,
            authentication: .clientSecretBasic
        )
        try ClientTokenFields.parse(["--claim", "a=roles", "--claim", "b=roles"]).apply(to: &client)
        try ClientTokenFields.parse(["--claim", "a=value:x", "--audience", "api"])
            .apply(to: &client)
        try ClientTokenFields.parse(["--audience", "api"]).apply(to: &client)
        #expect(
            client.mappers.map(\.source) == [
                .fixed(claim: "a", value: .string("x")), .realmRoles(claim: "b"), .audience("api"),
            ]
        )
        #expect(client.mappers.last?.targets == [.accessToken])
    }
}

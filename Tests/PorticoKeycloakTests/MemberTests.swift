import PorticoProtocol
import PorticoProvider
import PorticoStores
import Testing

@testable import PorticoKeycloak

/// The tables of members: what an import, an export, a request and a report have in common.
@Suite("Members of representations") struct MemberTests {
    @Test("Each representation names each of its members once")
    func names() {
        for representation in RepresentationMembers.all {
            #expect(
                representation.names.count == representation.members.count,
                "\(representation.kind)"
            )
        }
    }

    @Test("A member has one type, whichever representation it stands in")
    func types() {
        var types: [String: Set<MemberType>] = [:]
        for member in RepresentationMembers.all.flatMap(\.members) {
            #expect(member.typeWord == nil || member.type != nil, "\(member.name)")
            guard let type = member.type, type != .parts, type != .byName else { continue }
            types[member.name, default: []].insert(type)
        }
        for (name, types) in types { #expect(types.count == 1, "\(name)") }
    }

    @Test(
        "What is secret is never kept of a client, whatever holds it",
        arguments: [
            "private.key", "saml.signing.private.key", "client.secret.rotated.x",
            "portico.administers",
        ]
    )
    func secrets(attribute: String) {
        let said: JSONObject = [
            "secret": "s", "registrationAccessToken": "t", "description": "d",
            "attributes": .object([attribute: "x", "own": "y"]),
        ]
        for isOwn in [true, false] {
            let kept = ClientRepresentation.kept(said, mappers: nil, isOwn: isOwn).object
            #expect(kept == ["description": "d", "attributes": ["own": "y"]])
        }
    }

    private static func client() throws -> Client {
        ClientReader.blank("app", id: "1", realmID: "r")
    }

    private static func read(
        _ said: JSONObject,
        over former: JSONObject? = nil,
        to client: inout Client
    ) throws -> ImportReport {
        var report = ImportReport(realm: "r", naming: .max)
        let realm = Realm(id: "r", name: "r", displayName: "r", issuer: "https://op.example/r")
        try ClientReader(realm: realm, scopes: ClientScopes(of: realm, scopes: [])).read(
            try Representation(.object(said), path: ""),
            former.map { ClientRepresentation.Names($0, said) },
            to: &client,
            report: &report
        )
        return report
    }

    @Test("A change reads what is different, and nothing else of the client becomes another")
    func changes() throws {
        var client = try Self.client()
        client.type = .confidential
        client.authentication = .clientSecretPost
        client.grantTypes = [.authorizationCode]
        client.codeProtection = .pkceOrNonce
        client.accessTokenLifetime = 60
        client.tokenForm = .standard
        client.redirectRule = .exact
        let former = client
        let before: JSONObject = ["publicClient": false, "attributes": ["a": "1"]]
        var after = before
        after["consentRequired"] = true
        after["attributes"] = ["a": "2"]
        _ = try Self.read(after, over: before, to: &client)
        #expect(client.requiresConsent)
        #expect(client.kept.object.object("attributes") == ["a": "2"])
        client.requiresConsent = false
        client.kept = nil
        #expect(client == former)
    }

    @Test("Of a client that was made here, members that say nothing are not read")
    func unsaid() {
        let names = ClientRepresentation.Names(
            ["name": .null, "enabled": false, "attributes": ["a": "", "b": "1", "c": .null]]
        )
        #expect(names.members == ["enabled", "attributes"])
        #expect(names.attributes == ["b"])
        #expect(names.parts == [.proof])
    }

    @Test("What acts is not called ignored: events, the language, and the algorithm of UserInfo")
    func acting() async throws {
        let imported = try await ImportSample.realm(
            """
            "eventsEnabled": true, "eventsExpiration": 60, "enabledEventTypes": ["LOGIN"],
            "adminEventsEnabled": true, "internationalizationEnabled": true,
            "defaultLocale": "de", "eventsListeners": ["jboss-logging"],
            "clients": [{"clientId": "a", "baseUrl": "/home", "redirectUris": ["https://a.example/"],
                "attributes": {"user.info.response.signature.alg": "RS256",
                    "exclude.issuer.from.auth.response": "true"}},
                {"clientId": "b", "redirectUris": ["https://b.example/"],
                "attributes": {"user.info.response.signature.alg": "XX999"}}]
            """
        )
        let report = imported.report
        for name in [
            "eventsEnabled", "eventsExpiration", "enabledEventTypes", "adminEventsEnabled",
            "internationalizationEnabled", "defaultLocale",
        ] { #expect(!report.lines.contains { $0.subject == name }, "\(name)") }
        #expect(report.says(.ignored, "eventsListeners", "no listener"))
        for name in ["user.info", "exclude.issuer", "baseUrl"] {
            #expect(!report.lines.contains { $0.words.contains(name) }, "\(name)")
        }
        #expect(report.says(.changed, "client b", "UserInfo answers are not signed"))
        let clients = imported.realm.clients
        #expect(clients.first { $0.clientID == "a" }?.userInfoAlgorithm == .rs256)
        #expect(clients.first { $0.clientID == "b" }?.userInfoAlgorithm == nil)
    }

    @Test("What a file said stands in an export, as long as it still says what is here")
    func spelling() throws {
        var client = try Self.client()
        let said: JSONObject = [
            "clientId": "app", "name": "", "consentRequired": false, "publicClient": true,
            "attributes": [
                "dpop.bound.access.tokens": "TRUE", "access.token.lifespan": "999999999",
            ],
        ]
        _ = try Self.read(said, to: &client)
        #expect(client.dpopBoundAccessTokens && client.accessTokenLifetime == 86_400)
        func written() -> JSONObject {
            var attributes = said.object("attributes") ?? JSONObject()
            ClientRepresentation.attributes.write(client, over: attributes, to: &attributes)
            return attributes
        }
        #expect(written().string("dpop.bound.access.tokens") == "TRUE")
        #expect(written().string("access.token.lifespan") == "999999999")
        client.dpopBoundAccessTokens = false
        client.accessTokenLifetime = 60
        #expect(written()["dpop.bound.access.tokens"] == nil)
        #expect(written().string("access.token.lifespan") == "60")
    }
}

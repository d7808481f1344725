import PorticoProtocol
import PorticoStores

@testable import PorticoKeycloak
@testable import PorticoProvider

/// A person, and what is known of the session, for tests of mappers.
enum MapperSamples {
    static var person: Person {
        var person = Person(
            id: "4f1c9c2e-0000-4000-8000-000000000001",
            realmID: "realm",
            username: "mara",
            createdAt: 1_700_000_000
        )
        person.email = "mara@example.com"
        person.isEmailVerified = true
        person.givenName = "Mara"
        person.familyName = "Muster"
        person.attributes = [
            "team": ["blue"], "number": ["4711"], "flag": ["TRUE"], "colours": ["red", "green"],
            "settings": [#"{"size":[1,null]}"#], "street": ["Way 1"], "zip": ["10115"],
            "broken": ["{"], "empty": [],
        ]
        return person
    }

    static var input: MapperInput {
        MapperInput(
            person: person,
            roles: [
                RoleName(clientID: nil, name: "reader"), RoleName(clientID: nil, name: "writer"),
                RoleName(clientID: "shop", name: "clerk"),
                RoleName(clientID: "my.api", name: "read"),
                RoleName(clientID: "my.api", name: "write"),
            ],
            groups: [
                MemberGroup(
                    names: ["staff", "north"],
                    attributes: [["colours": ["blue"]], ["floor": ["2"], "colours": ["never"]]]
                ),
                MemberGroup(names: ["guests"], attributes: [["floor": ["0"], "colours": ["red"]]]),
            ],
            clientID: "shop",
            sector: "shop.example.com",
            allowedOrigins: ["https://shop.example.com"],
            acr: "silver",
            amr: ["pwd"],
            nonce: "n-1",
            sessionID: "sid-1",
            authTime: 1_700_000_100,
            notes: ["clientHost": "10.0.0.1", "client_id": "shop"],
            requested: nil
        )
    }

    /// All switches on.
    static let everywhere = [
        "access.token.claim": "true", "id.token.claim": "true", "userinfo.token.claim": "true",
        "introspection.token.claim": "true", "lightweight.claim": "true",
        "access.tokenResponse.claim": "true",
    ]

    static func record(
        _ kind: String,
        _ config: [String: String],
        name: String = "m",
        switches: [String: String] = everywhere
    ) -> ClaimMapper {
        var settings = JSONObject()
        for (key, value) in config.merging(switches, uniquingKeysWith: { own, _ in own }) {
            settings[key] = .string(value)
        }
        return read([
            "id": .string(name), "name": .string(name), "protocol": "openid-connect",
            "protocolMapper": .string(kind), "config": .object(settings),
        ])
    }

    static func read(_ mapper: JSONObject) -> ClaimMapper {
        guard let mapper = try? ClaimMapper(Representation(.object(mapper), path: "")) else {
            preconditionFailure("Every mapper of OpenID Connect is read.")
        }
        return mapper
    }

    static func token(
        _ records: [ClaimMapper],
        for target: ClaimMapper.Target = .accessToken,
        input: MapperInput = input
    ) -> MappedToken {
        MappedToken(records.inOrder, for: target, input: input)
    }
}

extension JSONObject {
    init(_ text: String) throws {
        try self.init(parsing: text.utf8)
    }
}

import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak
@testable import PorticoProvider

/// Exports and tokens of a real Keycloak, in a folder outside the repository:
/// `TEST_KEYCLOAK_FIXTURES=FOLDER swift test --filter KeycloakTokenTests`. Tests of this repository
/// have inputs of their own for the same rules.
private let fixtures = ProcessInfo.processInfo.environment["TEST_KEYCLOAK_FIXTURES"]

@Suite(
    "Tokens of a real Keycloak",
    .enabled(if: fixtures != nil, "exports and tokens from outside, to be looked at by hand")
)
struct KeycloakTokenTests {
    /// What the server writes without a mapper, or anew each time.
    private static let own: Set<String> = [
        "exp", "iat", "jti", "iss", "typ", "azp", "sid", "at_hash", "scope", "aud", "sub",
        "client_id", "username", "token_type", "active",
    ]

    @Test(
        "KC-T-1: the mappers give the claims that Keycloak gave",
        arguments: [
            ("article", "article-realm"), ("article-127.0.0.1", "article-realm"),
            ("full", "full-realm"),
        ]
    )
    func tokens(_ folder: String, _ realm: String) throws {
        let root = URL(filePath: try #require(fixtures))
        let export = try KeycloakExport(root.appending(path: "\(realm).json"))
        let tokens = root.appending(path: "tokens/\(folder)")
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: tokens.path()).sorted() {
            let data = try Data(contentsOf: tokens.appending(path: name))
            let file = try JSONObject(parsing: Array(data), limits: JSONLimits(size: 16 << 20))
            guard let decoded = file.object("decoded") else { continue }
            try compare(file, decoded, export, "\(folder)/\(name)")
            count += 1
        }
        #expect(count >= (folder == "full" ? 17 : 4))
    }

    private func compare(
        _ file: JSONObject,
        _ decoded: JSONObject,
        _ export: KeycloakExport,
        _ name: String
    ) throws {
        let access = try #require(payload(decoded, "access_token"))
        let idToken = payload(decoded, "id_token")
        let client = try #require(access.string("azp"))
        let person = access.string("preferred_username") ?? idToken?.string("preferred_username")
        let refresh = payload(decoded, "refresh_token")
        let scope = refresh?.string("scope") ?? access.string("scope") ?? ""
        var (mappers, input) = try export.mapping(
            of: try #require(person),
            client: client,
            granted: scope.split(separator: " ").map(String.init)
        )
        #expect(mappers.allSatisfy { $0.fault == nil }, "\(name)")
        input.authTime = access.int64("auth_time") ?? idToken?.int64("auth_time")
        input.acr = access.string("acr") ?? idToken?.string("acr")
        input.nonce = access.string("nonce") ?? idToken?.string("nonce")
        input.sessionID = access.string("sid")
        for note in ["clientHost", "clientAddress"] { input.notes[note] = access.string(note) }
        input.notes["client_id"] = access.string("client_id")
        input.requested = try file.object("request")?.string("claims").map(ClaimsRequest.init)

        func expect(
            _ claims: JSONObject,
            _ target: ClaimMapper.Target,
            ownAudience: Set<String> = []
        ) {
            let token = MappedToken(mappers, for: target, input: input)
            let isID = target == .idToken
            let given = Self.plain(claims, without: isID ? Self.own.union(["nonce"]) : Self.own)
            #expect(Self.plain(token.claims, without: Self.own) == given, "\(name) \(target)")
            guard target != .tokenResponse else { return }
            #expect(token.subject == claims.string("sub"), "\(name) \(target)")
            guard target != .userInfo else { return }
            let audience = claims.strings("aud") ?? claims.string("aud").map { [$0] } ?? []
            #expect(
                ownAudience.union(token.audiences) == Set(audience),
                "\(name) \(target)"
            )
        }
        expect(access, export.isLightweight(client) ? .lightweightAccessToken : .accessToken)
        if let idToken { expect(idToken, .idToken, ownAudience: [client]) }
        if let body = try userInfo(file) { expect(body, .userInfo) }
        if let body = file.object("introspection")?.object("body") { expect(body, .introspection) }
        if let answer = file.object("tokens") {
            let standard: Set<String> = [
                "access_token", "expires_in", "refresh_expires_in", "refresh_token", "id_token",
                "not-before-policy", "session_state", "scope", "token_type",
            ]
            var more = JSONObject()
            for member in answer where !standard.contains(member.name) {
                more[member.name] = member.value
            }
            expect(more, .tokenResponse)
        }
    }

    private func payload(_ decoded: JSONObject, _ token: String) -> JSONObject? {
        decoded.object(token)?.object("payload")
    }

    /// The answer of UserInfo, signed or not; `nil` where there was none.
    private func userInfo(_ file: JSONObject) throws -> JSONObject? {
        guard let answer = file.object("userinfo"), answer.int64("status") == 200 else {
            return nil
        }
        guard let signed = answer.string("body") else { return answer.object("body") }
        let parts = signed.split(separator: ".")
        return try JSONObject(parsing: try #require(Base64URL.decode(String(parts[1]))))
    }

    /// Keycloak's lists of roles and values are sets: sorted here.
    private static func plain(_ claims: JSONObject, without own: Set<String>) -> JSONObject {
        var plain = JSONObject()
        for member in claims where !own.contains(member.name) {
            plain[member.name] = sorted(member.value)
        }
        return plain
    }

    private static func sorted(_ value: JSONValue) -> JSONValue {
        if let texts = value.strings { return .array(texts.sorted().map(JSONValue.string)) }
        return value.object.map { .object(plain($0, without: [])) } ?? value
    }
}

import Crypto
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb
import PorticoSystem

/// The part of Facebook's Graph that a sign-in needs.
struct StandInGraph {
    let answers: StandInAnswers

    private var standIns: StandIns { answers.standIns }

    /// `/me?fields=…` (PRV-F-3).
    func me(_ call: StandInCall) throws -> Response {
        let token = try token(of: call)
        let wanted = Self.fields(call["fields"] ?? "id,name")
        let person = token.grant.person
        var answer = JSONObject()
        for field in wanted {
            switch field {
            case "id": answer["id"] = .string(token.grant.subject)
            case "name": answer["name"] = .string(person.name)
            case "first_name": answer["first_name"] = .string(person.givenName)
            case "last_name": answer["last_name"] = .string(person.familyName)
            case "email": answer["email"] = token.grant.email.map { .string($0) }
            case "picture":
                let address = "\(standIns.issuer(of: .facebook))/picture/\(person.id)"
                answer["picture"] = [
                    "data": [
                        "height": 50, "width": 50, "is_silhouette": false,
                        "url": .string(address),
                    ]
                ]
            default: throw StandInRefusal.graph(100, "(#100) Tried accessing nonexisting field")
            }
        }
        // Graph includes the id, requested or not.
        answer["id"] = .string(token.grant.subject)
        return answers.json(answer)
    }

    /// The owner of a token, for the requesting app (PRV-F-4).
    func debugToken(_ call: StandInCall) throws -> Response {
        let parts = (call["access_token"] ?? "").split(separator: "|", maxSplits: 1)
        guard parts.count == 2,
            let app = standIns.client(String(parts[0]), at: .facebook),
            case .secret(let secret) = app.authentication, SecretText(String(parts[1])) == secret
        else { throw StandInRefusal.graph(190, "Invalid OAuth access token signature.") }
        let found = standIns.memory.withLock { $0.token(call["input_token"], at: .facebook) }
        guard let token = found else {
            return answers.json(Self.invalid("Invalid OAuth access token."))
        }
        guard sameBytes(token.grant.client.clientID, app.clientID) else {
            throw StandInRefusal.graph(
                100,
                "(#100) The App_id in the input_token did not match the Viewing App"
            )
        }
        let details: JSONObject = [
            "app_id": .string(token.grant.client.clientID), "type": "USER",
            "application": "Stand-in", "is_valid": .bool(token.isGood(at: call.now)),
            "issued_at": NumericDate.value(token.issuedAt),
            "expires_at": NumericDate.value(token.expiresAt),
            "scopes": .array(token.grant.scopes.map { .string($0) }),
            "user_id": .string(token.grant.subject),
        ]
        return answers.json(["data": .object(details)])
    }

    /// The token of a call that also proves that it comes from the app's server.
    private func token(of call: StandInCall) throws -> StandInToken {
        guard let text = call.bearer ?? call["access_token"] else {
            throw StandInRefusal.graph(
                2500,
                "An active access token must be used to query information about the current user."
            )
        }
        let found = standIns.memory.withLock { $0.token(text, at: .facebook) }
        guard let token = found else {
            throw StandInRefusal.graph(
                190,
                "Invalid OAuth access token - Cannot parse access token"
            )
        }
        guard !token.isRevoked else {
            throw StandInRefusal.graph(
                190,
                subcode: 458,
                "The user has not authorized application."
            )
        }
        guard token.isGood(at: call.now) else {
            throw StandInRefusal.graph(190, subcode: 463, "Session has expired.")
        }
        try Self.check(call["appsecret_proof"], of: text, token.grant.client)
        return token
    }

    /// As with "Require App Secret" switched on.
    private static func check(_ proof: String?, of token: String, _ client: StandInClient) throws {
        guard let proof else {
            throw StandInRefusal.graph(
                .badRequest,
                type: "GraphMethodException",
                code: 100,
                subcode: nil,
                "API calls from the server require an appsecret_proof argument"
            )
        }
        guard case .secret(let secret) = client.authentication,
            ConstantTime.equal(proof, appSecretProof(token, secret))
        else {
            throw StandInRefusal.graph(
                .badRequest,
                type: "GraphMethodException",
                code: 100,
                subcode: nil,
                "Invalid appsecret_proof provided in the API argument"
            )
        }
    }

    private static func appSecretProof(_ token: String, _ secret: SecretText) -> String {
        Hexadecimal.text(
            HMAC<SHA256>.authenticationCode(
                for: Array(token.utf8),
                using: SymmetricKey(data: Array(secret.reveal().utf8))
            )
        )
    }

    /// Field names without their arguments: `picture.type(large)`, `picture{url}`.
    private static func fields(_ text: String) -> [String] {
        var depth = 0
        var names = [""]
        for character in text {
            switch character {
            case "{", "(": depth += 1
            case "}", ")": depth -= 1
            case "," where depth == 0: names.append("")
            default: if depth == 0 { names[names.count - 1].append(character) }
            }
        }
        return names.map { String($0.prefix { $0 != "." }) }.filter { !$0.isEmpty }
    }

    private static func invalid(_ words: String) -> JSONObject {
        [
            "data": [
                "error": ["code": 190, "message": .string(words)], "is_valid": false,
                "scopes": [],
            ]
        ]
    }
}

import HTTPTypes
import PorticoProtocol
import PorticoWeb

/// Writes token answers, correctly or with the configured faults (attack E19).
struct StandInTokenAnswers {
    let answers: StandInAnswers

    func response(_ tokens: JSONObject, _ answer: StandInFaults.TokenAnswer) throws -> Response {
        switch answer {
        case .right: return answers.json(tokens)
        case .refused(let status, let code):
            return answers.json(
                ["error": .string(code), "error_description": "The stand-in was told so."],
                .init(code: status)
            )
        case .errorWithStatusOK(let code): return answers.json(["error": .string(code)])
        case .redirect(let location): return try answers.redirect(to: location)
        case .html: return answers.page(.down, nil)
        case .huge(let bytes):
            // Blanks after the object: JSON, if a reader read that far.
            let body = tokens.serialized()
            return raw(body + [UInt8](repeating: 0x20, count: max(0, bytes - body.count)))
        case .invalidUTF8:
            return raw(Array("{\"access_token\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8))
        case .repeatedMember:
            return raw(Array("{\"access_token\":\"a\",".utf8) + tokens.serialized().dropFirst())
        case .truncated:
            let body = tokens.serialized()
            return raw(Array(body.prefix(body.count / 2)))
        case .members(let members):
            var tokens = tokens
            for (name, value) in members { tokens[name] = value }
            return answers.json(tokens)
        }
    }

    private func raw(_ bytes: [UInt8]) -> Response {
        Response(json: bytes, headers: answers.headers)
    }
}

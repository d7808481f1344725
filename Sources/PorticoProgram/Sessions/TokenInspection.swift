import PorticoProtocol

/// The contents of a token, and which checks it passed.
struct TokenInspection {
    enum Signature: Hashable {
        case valid
        case invalid(String)
        case unchecked(String)
        /// With `--offline`.
        case notAsked
    }

    let header: JWSHeader
    let claims: JSONObject
    /// The issuer that it must have, if one was named.
    let expectedIssuer: String?
    /// Seconds since 1970.
    let now: Int64
    var signature = Signature.unchecked("The token names no issuer.")

    private enum Mark: String {
        case good = "✓"
        case note = "!"
        case bad = "✗"
    }

    // MARK: Checks

    private var hasExpired: Bool { claims.int64("exp").map { $0 <= now } ?? false }
    private var isEarly: Bool { claims.int64("nbf").map { $0 > now } ?? false }
    private var hasOtherIssuer: Bool {
        expectedIssuer.map { $0 != claims.string("iss") } ?? false
    }
    private var isBound: Bool { claims.object("cnf") != nil }
    private var audience: [String] {
        claims.string("aud").map { [$0] } ?? claims.strings("aud") ?? []
    }

    private var checks: [(Mark, String)] {
        var checks: [(Mark, String)] = []
        switch signature {
        case .valid: checks.append((.good, "signature valid"))
        case .invalid(let why): checks.append((.bad, "signature invalid: \(why)"))
        case .unchecked(let why): checks.append((.bad, "signature not checked: \(why)"))
        case .notAsked: checks.append((.note, "signature not checked"))
        }
        if claims.int64("exp") == nil {
            checks.append((.note, "no expiry"))
        } else {
            checks.append(hasExpired ? (.bad, "expired") : (.good, "not expired"))
        }
        if isEarly { checks.append((.bad, "not valid yet")) }
        if hasOtherIssuer { checks.append((.bad, "another issuer")) }
        checks.append(audience.isEmpty ? (.note, "no audience") : (.good, "audience given"))
        checks.append(isBound ? (.good, "bound to a key") : (.note, "no DPoP or mTLS binding"))
        return checks
    }

    var failure: Failure? {
        if case .invalid = signature {
            return Failure(.tokenInvalid, "The signature is not the issuer's. Do not trust it.")
        }
        if hasOtherIssuer { return Failure(.tokenInvalid, "Another issuer made this token.") }
        if hasExpired { return Failure(.tokenInvalid, "The token has expired.") }
        if isEarly { return Failure(.tokenInvalid, "The token is not valid yet.") }
        if case .unchecked(let why) = signature {
            return Failure(.tokenInvalid, "The signature could not be checked.", printable(why))
        }
        return nil
    }

    // MARK: Output

    func text(_ console: Console) -> String {
        let head = [header.algorithm.rawValue, header.keyID.map { "kid \($0)" }, header.type]
        let fields: [(String, String?)] = [
            ("header", head.compactMap { $0 }.joined(separator: " · ")),
            ("issuer", claims.string("iss")),
            ("audience", audience.isEmpty ? nil : audience.joined(separator: " ")),
            ("subject", claims.string("sub")),
            ("client", claims.string("client_id") ?? claims.string("azp")),
            ("scope", claims.string("scope")),
            ("issued", time("iat")),
            ("expires", time("exp")),
        ]
        let lines = fields.map { name, value in
            let padding = String(repeating: " ", count: 10 - name.count)
            return name + padding + (value.map(printable) ?? "–")
        }
        let marks = checks.map { mark, words in
            let colour: Console.Colour =
                switch mark {
                case .good: .green
                case .note: .yellow
                case .bad: .red
                }
            return "\(console.coloured(mark.rawValue, colour)) \(printable(words))"
        }
        return (lines + [marks.joined(separator: "   ")]).joined(separator: "\n")
    }

    var json: JSONObject {
        var result = JSONObject()
        result["header"] = .object(header.members)
        result["claims"] = .object(claims)
        var checked = JSONObject()
        switch signature {
        case .valid: checked["signature"] = "valid"
        case .invalid: checked["signature"] = "invalid"
        case .unchecked, .notAsked: checked["signature"] = "unchecked"
        }
        checked["expired"] = .bool(hasExpired)
        checked["early"] = .bool(isEarly)
        checked["issuer_expected"] = .bool(!hasOtherIssuer)
        checked["audience"] = .bool(!audience.isEmpty)
        checked["bound"] = .bool(isBound)
        result["checks"] = .object(checked)
        return result
    }

    private func time(_ claim: String) -> String? {
        claims.int64(claim).map { "\(Times.standard($0)) (\(Times.relative($0, at: now)))" }
    }
}

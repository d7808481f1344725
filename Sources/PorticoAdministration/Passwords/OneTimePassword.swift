import Crypto
package import PorticoBytes
package import PorticoProtocol

/// A code that changes with the time, made from a shared key (RFC 6238).
package struct OneTimePassword: Sendable {
    package enum Digest: String, CaseIterable, Sendable {
        case sha1 = "HmacSHA1"
        case sha256 = "HmacSHA256"
        case sha512 = "HmacSHA512"
    }

    package let digest: Digest
    /// 6 or 8.
    package let digits: Int
    /// In seconds.
    package let period: Int64
    private let key: SymmetricKey

    /// How long a key may be, in bytes (RFC 4226 §4 asks for 16; apps have long been given 10).
    private static let keyLengths = 10...512
    private static let periods: ClosedRange<Int64> = 10...300

    /// - Returns: `nil` where no app could show a code for it, or the key is too short to be one.
    package init?(key: [UInt8], digest: Digest, digits: Int, period: Int64) {
        guard Self.keyLengths.contains(key.count), digits == 6 || digits == 8,
            Self.periods.contains(period)
        else { return nil }
        self.key = SymmetricKey(data: key)
        self.digest = digest
        self.digits = digits
        self.period = period
    }

    /// As realm files keep it (`OTPCredentialModel`).
    ///
    /// - Parameters:
    ///   - parameters: `credentialData`.
    ///   - secret: `secretData`.
    package init?(_ parameters: JSONObject, secret: SecretText) {
        guard let key = Self.key(parameters, secret: secret),
            let digest = Digest(wire: parameters.string("algorithm") ?? Digest.sha1.rawValue),
            let digits = Int(exactly: parameters.int64("digits") ?? 6)
        else { return nil }
        let period = parameters.int64("period") ?? 30
        self.init(key: key, digest: digest, digits: digits, period: period)
    }

    /// The key's bytes: those of the text, unless `secretEncoding` says that it is in base32.
    ///
    /// - Returns: `nil` where they cannot be read.
    package static func key(_ parameters: JSONObject, secret: SecretText) -> [UInt8]? {
        let text = secret.reveal()
        // `try?`: what cannot be read cannot be checked either.
        guard text.utf8.count <= 4096,
            let value = try? JSONValue(parsing: Array(text.utf8)).object?.string("value")
        else { return nil }
        guard let encoding = parameters.string("secretEncoding") else { return Array(value.utf8) }
        return sameBytes(encoding, "BASE32") ? Base32.decode(value) : nil
    }

    /// - Parameter step: How many periods have passed since 1970 (RFC 6238 §4.2).
    package func code(at step: Int64) -> String {
        let counter = step.bigEndianBytes
        let mac: [UInt8] =
            switch digest {
            case .sha1:
                Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: counter, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: counter, using: key))
            }
        // RFC 4226 §5.3: at most 15, and the shortest is 20 bytes long.
        let offset = Int((mac.last ?? 0) & 0x0F)
        let four = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var number = four & 0x7FFF_FFFF
        var text = [UInt8](repeating: UInt8(ascii: "0"), count: digits)
        for place in text.indices.reversed() {
            text[place] += UInt8(number % 10)
            number /= 10
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The period whose code was typed: this one or the one before (RFC 6238 §5.2), or the next one
    /// where the realm allows for clocks that are wrong.
    ///
    /// - Parameters:
    ///   - typed: As ``TypedCode`` reads it.
    ///   - drift: In periods; at most one counts (WEB-MFA-1).
    package func step(of typed: String, at now: Int64, drift: Int64 = 0) -> Int64? {
        let typed = TypedCode.compact(typed)
        guard typed.utf8.count == digits else { return nil }
        let current = now / period
        let drift = min(max(0, drift), 1)
        var found: Int64?
        for step in current - 1...current + drift
        where ConstantTime.equal(code(at: step), typed) {
            found = step
        }
        return found
    }
}

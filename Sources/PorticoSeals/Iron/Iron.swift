import Crypto
import CryptoExtras
package import PorticoBytes
package import PorticoProtocol
import PorticoSystem

/// Opens and makes seals in the format `Fe26.2` of the library Iron, which web apps keep sessions in.
///
/// `Fe26.2*id*salt*IV*ciphertext*expiration*salt*MAC`: AES-256-CBC of JSON text, then HMAC-SHA-256
/// of the first six fields. It says who made the object and when it ends, not what it was made for:
/// each purpose needs passwords of its own.
package struct Iron: Sendable {
    private let passwords: IronPasswords

    /// Of a seal, in bytes.
    package static let longest = 8_192
    private static let prefix = Array("Fe26.2".utf8)
    private static let star = UInt8(ascii: "*")
    /// How far another server's clock may be ahead, in milliseconds.
    private static let skew: Int64 = 60_000

    package struct Opened: Sendable {
        package let object: JSONObject
        /// Milliseconds since 1970; `nil` if the seal does not expire.
        package let expiresAt: Int64?
        /// As the seal names it; empty if it names none.
        package let passwordID: String
    }

    package init(_ passwords: IronPasswords) {
        self.passwords = passwords
    }

    /// - Parameters:
    ///   - lifetime: In milliseconds; `nil` and 0 mean that the seal does not expire.
    ///   - milliseconds: Since 1970.
    /// - Throws: tooLong, expiration.
    package func seal(
        _ object: JSONObject,
        lifetime: Int64?,
        at milliseconds: Int64,
        random: RandomSource
    ) throws(IronError) -> String {
        guard let keys = passwords.keys(passwords.sealingID.utf8) else { throw .password }
        let expiration = try Self.expiration(lifetime, milliseconds)
        let salts = (0..<2).map { _ in
            keys.hasSalt ? Array(Hexadecimal.text(random.bytes(32)).utf8) : []
        }
        let vector = random.bytes(16)
        guard let key = keys.key(.encryption, salt: salts[0]) else { throw .keyLength }
        let ciphertext = try Self.cipher {
            try AES._CBC.encrypt(
                object.serialized(),
                using: key,
                iv: AES._CBC.IV(ivBytes: vector)
            )
        }
        let base = [
            Self.prefix, Array(passwords.sealingID.utf8), salts[0],
            Base64URL.encodedBytes(vector), Base64URL.encodedBytes(ciphertext),
            Array(expiration.utf8),
        ]
        let signed = Array(base.joined(separator: [Self.star]))
        guard let code = Self.code(signed, keys, salt: salts[1]) else { throw .keyLength }
        let text = Array([signed, salts[1], code].joined(separator: [Self.star]))
        guard text.count <= Self.longest else { throw .tooLong }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter milliseconds: Since 1970.
    /// - Throws: The first of: tooLong, components, prefix, expiration, expired, password, mac,
    ///   encoding, decryption, json. From encoding on, only who knows the password gets there.
    package func open(_ text: String, at milliseconds: Int64) throws(IronError) -> Opened {
        try open(Array(text.utf8), at: milliseconds)
    }

    func open(_ bytes: [UInt8], at milliseconds: Int64) throws(IronError) -> Opened {
        guard bytes.count <= Self.longest else { throw .tooLong }
        let fields = bytes.split(
            separator: Self.star,
            maxSplits: 8,
            omittingEmptySubsequences: false
        )
        guard fields.count == 8 else { throw .components }
        guard fields[0].elementsEqual(Self.prefix) else { throw .prefix }
        let expiresAt = try Self.expiresAt(fields[5])
        if let expiresAt, expiresAt <= milliseconds - Self.skew { throw .expired }
        guard let keys = passwords.keys(fields[1]) else { throw .password }
        guard let code = Self.code(bytes[..<fields[5].endIndex], keys, salt: fields[6]),
            // Its text, so that one code has one spelling.
            ConstantTime.equal(code, fields[7]),
            let key = keys.key(.encryption, salt: fields[2])
        else { throw .mac }
        guard let vector = Base64URL.decode(fields[3]), vector.count == 16,
            let ciphertext = Base64URL.decode(fields[4]), !ciphertext.isEmpty,
            ciphertext.count.isMultiple(of: 16)
        else { throw .encoding }
        let plaintext = try Self.cipher {
            try AES._CBC.decrypt(ciphertext, using: key, iv: AES._CBC.IV(ivBytes: vector))
        }
        return Opened(
            object: try Self.object(plaintext),
            expiresAt: expiresAt,
            passwordID: String(decoding: fields[1], as: UTF8.self)
        )
    }
}

extension Iron {
    /// The library throws what says nothing more than that it failed.
    private static func cipher<Bytes: Sequence<UInt8>>(_ body: () throws -> Bytes)
        throws(IronError) -> [UInt8]
    {
        do {
            return Array(try body())
        } catch {
            throw .decryption
        }
    }

    /// The eighth field.
    private static func code(
        _ signed: some Collection<UInt8>,
        _ keys: IronKeys,
        salt: some Collection<UInt8>
    ) -> [UInt8]? {
        keys.key(.integrity, salt: salt).map {
            HMAC<SHA256>.authenticationCode(for: Array(signed), using: $0)
                .withUnsafeBytes(Base64URL.encodedBytes)
        }
    }

    private static func expiration(_ lifetime: Int64?, _ now: Int64) throws(IronError) -> String {
        guard let lifetime, lifetime != 0 else { return "" }
        let (end, isTooLarge) = now.addingReportingOverflow(lifetime)
        guard !isTooLarge else { throw .expiration }
        let text = String(end)
        _ = try expiresAt(Array(text.utf8)[...])
        return text
    }

    /// Empty, or 1 to 15 digits without a leading zero, so that one time has one spelling.
    private static func expiresAt(_ field: ArraySlice<UInt8>) throws(IronError) -> Int64? {
        guard !field.isEmpty else { return nil }
        guard let time = Int64(digits: field, atMost: 15), field.first != UInt8(ascii: "0") else {
            throw .expiration
        }
        return time
    }

    private static func object(_ text: [UInt8]) throws(IronError) -> JSONObject {
        do throws(JSONError) {
            let object = try JSONObject(parsing: text, limits: .foreign(size: longest))
            guard !isPolluting(.object(object)) else { throw .notAnObject }
            return object
        } catch {
            throw .json
        }
    }

    /// Whether a member would change what all objects of a JavaScript program have. The depth is the
    /// parser's.
    private static func isPolluting(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object):
            object.contains { sameBytes($0.name, "__proto__") || isPolluting($0.value) }
        case .array(let values): values.contains(where: isPolluting)
        default: false
        }
    }
}

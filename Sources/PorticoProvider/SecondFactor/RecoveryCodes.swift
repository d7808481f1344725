import Crypto
package import PorticoBytes
package import PorticoProtocol

/// Codes on paper, each of which is good once, as realm files keep them
/// (`RecoveryAuthnCodesCredentialModel`): a SHA-512 of each is enough, because each has 60 random
/// bits.
package struct RecoveryCodes: Sendable {
    /// In the order they were written down.
    private let hashes: [[UInt8]]

    /// As many as have a bit each in ``Credential/used``.
    private static let most = 62
    private static let digest = "SHA-512"

    /// - Parameters:
    ///   - parameters: `credentialData`.
    ///   - secret: `secretData`.
    /// - Returns: `nil` where they cannot be checked.
    package init?(_ parameters: JSONObject, secret: SecretText) {
        let text = secret.reveal()
        // `try?`: what cannot be read cannot be checked either.
        guard sameBytes(parameters.string("algorithm") ?? Self.digest, Self.digest),
            text.utf8.count <= 16_384,
            let codes = try? JSONValue(parsing: Array(text.utf8)).object?.array("codes"),
            !codes.isEmpty, codes.count <= Self.most
        else { return nil }
        var hashes: [[UInt8]] = []
        for code in codes {
            guard let text = code.object?.string("encodedHashedValue"),
                let hash = Base64.decode(text.utf8), hash.count == SHA512.byteCount
            else { return nil }
            hashes.append(hash)
        }
        self.hashes = hashes
    }

    package var count: Int { hashes.count }

    /// The place of the code that was typed, from 0. As ``TypedCode`` reads it.
    package func place(of typed: String) -> Int? {
        let hash = Self.hash(TypedCode.compact(typed))
        var found: Int?
        for (place, kept) in hashes.enumerated() where ConstantTime.equal(kept, hash) {
            found = place
        }
        return found
    }

    /// How many are left.
    package func left(used: Int64) -> Int {
        hashes.indices.count { used & (1 << Int64($0)) == 0 }
    }

    private static func hash(_ code: String) -> [UInt8] {
        Array(SHA512.hash(data: Array(code.utf8)))
    }
}

extension RecoveryCodes {
    /// Without letters that look like digits.
    private static let letters = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    private static let number = 12
    private static let length = 12

    /// New codes, and what is kept of them.
    package static func make(_ random: RandomSource) -> (
        codes: [String], parameters: JSONObject, secret: SecretText
    ) {
        // 256 is a multiple of 32: no letter is more likely than another.
        let codes = (0..<number).map { _ in
            String(
                decoding: random.bytes(length).map { letters[Int($0) % letters.count] },
                as: UTF8.self
            )
        }
        let kept = codes.enumerated().map { index, code -> JSONValue in
            .object([
                "number": .integer(Int64(index + 1)),
                "encodedHashedValue": .string(Base64.encode(hash(code))),
            ])
        }
        let secret: JSONObject = ["codes": .array(kept)]
        return (
            codes,
            [
                "type": "recovery-authn-codes", "algorithm": .string(digest),
                "totalCodes": .integer(Int64(number)),
            ],
            SecretText(String(decoding: secret.serialized(), as: UTF8.self))
        )
    }
}

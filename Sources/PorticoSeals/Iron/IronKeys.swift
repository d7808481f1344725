import Crypto
import PorticoBytes

/// The keys that seals of Iron's have under one password.
struct IronKeys: Sendable {
    enum Purpose {
        case encryption
        case integrity
    }

    /// HMAC-SHA-1 under a text, before it has read anything.
    private typealias Function = HMAC<Insecure.SHA1>

    private enum Source {
        case texts(encryption: Function, integrity: Function)
        case key(SymmetricKey)
    }

    private let source: Source

    init(_ password: IronPasswords.Password) {
        switch password {
        case .text(let text):
            let function = Self.function(text)
            source = .texts(encryption: function, integrity: function)
        case .split(let encryption, let integrity):
            source = .texts(
                encryption: Self.function(encryption),
                integrity: Self.function(integrity)
            )
        case .key(let bytes): source = .key(SymmetricKey(data: bytes))
        }
    }

    private static func function(_ text: SecretText) -> Function {
        Function(key: SymmetricKey(data: Array(text.reveal().utf8)))
    }

    var hasSalt: Bool {
        if case .key = source { false } else { true }
    }

    /// The key for one seal.
    ///
    /// - Parameter salt: As written: its text is the salt, not the bytes that its digits mean.
    /// - Returns: `nil` if a key that is used as it is has a salt, which its seals never have.
    func key(_ purpose: Purpose, salt: some Collection<UInt8>) -> SymmetricKey? {
        switch (source, purpose) {
        case (.texts(let encryption, _), .encryption): Self.derived(encryption, salt)
        case (.texts(_, let integrity), .integrity): Self.derived(integrity, salt)
        case (.key(let key), _): salt.isEmpty ? key : nil
        }
    }

    /// PBKDF2 with HMAC-SHA-1, one round and 32 bytes (RFC 8018 §5.2): two blocks, each one HMAC of
    /// the salt and the block's number.
    private static func derived(_ function: Function, _ salt: some Collection<UInt8>)
        -> SymmetricKey
    {
        var salted = function
        salted.update(data: Array(salt))
        let blocks = [1, 2].flatMap { (number: UInt32) in
            var block = salted
            block.update(data: number.bigEndianBytes)
            return block.finalize().withUnsafeBytes(Array.init)
        }
        return SymmetricKey(data: blocks.prefix(32))
    }
}

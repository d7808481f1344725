import Crypto
package import PorticoBytes
import PorticoSystem

/// The passwords that seals of Iron's open with, each under its id, and the one that makes new
/// seals.
///
/// To rotate: add a password under a higher number, and remove the one before when the last seal
/// made with it has expired.
package struct IronPasswords: Sendable {
    package enum Password: Equatable, Sendable {
        /// At least 32 UTF-16 code units. Keys are derived from it in one round, which adds nothing:
        /// it must be as random as a key.
        case text(SecretText)
        /// Two of those.
        case split(encryption: SecretText, integrity: SecretText)
        /// 32 bytes, used as they are, for both purposes.
        case key([UInt8])
    }

    private let passwords: [(id: String, password: Password, keys: IronKeys)]
    /// The id that new seals name.
    let sealingID: String

    /// - Parameters:
    ///   - passwords: With unique ids: letters, digits and `_`, at most 64. A seal without an id is
    ///     opened by the password `""` or, which is the same one, `default`.
    ///   - id: The one that makes seals. If `nil`, the one with the highest number or, if no id is a
    ///     number, the last one.
    /// - Throws: passwordID if an id is malformed, repeated or missing, passwordTooShort, keyLength.
    package init(_ passwords: [(id: String, password: Password)], sealing id: String? = nil)
        throws(IronError)
    {
        for (index, (id, password)) in passwords.enumerated() {
            guard id.utf8.count <= 64,
                id.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }),
                !passwords[..<index].contains(where: { Self.isSame($0.id.utf8, id.utf8) })
            else { throw .passwordID }
            try password.check()
        }
        let numbers = passwords.compactMap { entry in
            Int64(digits: entry.id.utf8).map { (number: $0, id: entry.id) }
        }
        let newest = numbers.max { $0.number < $1.number }?.id ?? passwords.last?.id
        guard let sealing = id ?? newest,
            passwords.contains(where: { Self.isSame($0.id.utf8, sealing.utf8) })
        else { throw .passwordID }
        self.passwords = passwords.map { ($0.id, $0.password, IronKeys($0.password)) }
        sealingID = sealing
    }

    /// One password as iron-session names it: `1`.
    package init(session password: SecretText) throws(IronError) {
        try self.init([("1", .text(password))])
    }

    /// - Parameter id: Of a password.
    /// - Returns: `nil` if there is none with that id.
    func keys(_ id: some Collection<UInt8>) -> IronKeys? {
        passwords.first { Self.isSame($0.id.utf8, id) }?.keys
    }

    /// No id is another name of `default`.
    private static func isSame(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>)
        -> Bool
    {
        let usual = Array("default".utf8)
        let one = one.isEmpty ? usual : Array(one)
        return one.elementsEqual(other.isEmpty ? usual : Array(other))
    }

    /// The passwords that may be guessed, for a warning.
    package var weakIDs: [String] { passwords.filter(\.password.isWeak).map(\.id) }

    /// Whether a password may have less than 128 bits of entropy, for a warning: characters that
    /// repeat, or few of them.
    static func isWeak(_ password: SecretText) -> Bool {
        var counts = [Double](repeating: 0, count: 256)
        let bytes = Array(password.reveal().utf8)
        for byte in bytes { counts[Int(byte)] += 1 }
        let length = Double(bytes.count)
        let bits = counts.filter { $0 > 0 }.reduce(0) { $0 - $1 * log2($1 / length) }
        return bits < 128
    }
}

extension IronPasswords: Equatable {
    /// Whether the same seals open, and new ones are made with the same password.
    package static func == (one: IronPasswords, other: IronPasswords) -> Bool {
        isSame(one.sealingID.utf8, other.sealingID.utf8)
            && one.passwords.elementsEqual(other.passwords) {
                isSame($0.id.utf8, $1.id.utf8) && $0.password == $1.password
            }
    }
}

extension IronPasswords: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IronPasswords.Password: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IronPasswords.Password {
    fileprivate var isWeak: Bool {
        switch self {
        case .text(let text): IronPasswords.isWeak(text)
        case .split(let encryption, let integrity):
            IronPasswords.isWeak(encryption) || IronPasswords.isWeak(integrity)
        case .key: false
        }
    }

    fileprivate func check() throws(IronError) {
        switch self {
        case .text(let text): try Self.check(text)
        case .split(let encryption, let integrity):
            try Self.check(encryption)
            try Self.check(integrity)
        case .key(let bytes): guard bytes.count == 32 else { throw .keyLength }
        }
    }

    private static func check(_ text: SecretText) throws(IronError) {
        guard text.reveal().utf16.count >= 32 else { throw .passwordTooShort }
    }
}

/// Passwords of seals in a file that only its owner may read: a line for each, `ID PASSWORD`, the
/// newest last. All open, the last one seals (docs/decisions/0060).
extension IronPasswords {
    package enum FileRefusal: Error, Hashable, Sendable {
        case file(OwnerOnlyFile.Refusal)
        /// No id and password with one space between; counted from 1.
        case line(Int)
        case passwords(IronError)
    }

    private static let longestFile = 64 * 1024

    package static func load(_ path: String) throws(FileRefusal) -> IronPasswords {
        let text: [UInt8]
        do {
            text = try OwnerOnlyFile.read(path, from: .administrator, limit: longestFile)
        } catch {
            throw .file(error)
        }
        return try IronPasswords(text: text)
    }

    /// Those at `path`; a new one, under the id 1, if there is no file. Two processes that start at
    /// once get the same.
    package static func loadOrCreate(_ path: String, random: RandomSource) throws(FileRefusal)
        -> IronPasswords
    {
        do {
            return try load(path)
        } catch .file(.missing) {
            do {
                let line = Array("1 \(random.text(32))\n".utf8)
                try OwnerOnlyFile.write(line, to: path, isNew: true, random: random)
            } catch {
                guard error == .alreadyExists else { throw .file(error) }
            }
            // Not every file system supports it: the file is stored anyway.
            _ = OwnerOnlyFile.syncFolder(of: path)
            return try load(path)
        }
    }

    init(text: [UInt8]) throws(FileRefusal) {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        var passwords: [(id: String, password: Password)] = []
        for (index, line) in lines.enumerated() {
            let parts = line.split(
                separator: UInt8(ascii: " "),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            // A control character is a mistake: another system would not have it.
            guard parts.count == 2, !parts[0].isEmpty, parts[1].allSatisfy({ $0 >= 0x20 }),
                let id = String(validating: parts[0], as: UTF8.self),
                let password = String(validating: parts[1], as: UTF8.self)
            else { throw .line(index + 1) }
            passwords.append((id, .text(SecretText(password))))
        }
        do {
            try self.init(passwords, sealing: passwords.last?.id)
        } catch {
            throw .passwords(error)
        }
    }
}

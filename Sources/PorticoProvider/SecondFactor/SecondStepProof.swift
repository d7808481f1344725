import PorticoBytes
import PorticoStores
import PorticoSystem

/// That a person typed the right password, carried by the page that asks for their second factor:
/// nothing is stored, and no cookie set, before that is right too (docs/decisions/0050).
struct SecondStepProof: Sendable, Equatable {
    let personID: String
    /// As it was when the password was checked.
    let epoch: Int64
    /// The SHA-256 of the hash that it was checked against.
    let password: Hash256
    /// A stronger hash, to be kept with the session.
    let rehashed: PasswordHash?
    /// The hash of the form cookie of the browser that it was typed in.
    let browser: Hash256
    /// The sign-in that it was typed for (``SignInPurpose/transaction``).
    let transaction: String

    init?(
        _ credentials: PersonCredentials,
        _ rehashed: PasswordHash?,
        browser: String,
        transaction: String
    ) {
        guard let password = credentials.password else { return nil }
        personID = credentials.person.id
        epoch = credentials.epoch
        self.password = Hash256(of: password.encoded)
        self.rehashed = rehashed
        self.browser = Hash256(of: browser)
        self.transaction = transaction
    }

    /// Whether it is as good now, for what is kept of the person, as when it was made. To disable
    /// someone raises the epoch, too.
    func holds(for kept: PersonCredentials) -> Bool {
        kept.epoch == epoch && kept.password.map { Hash256(of: $0.encoded) } == password
    }
}

extension SecondStepProof: CarriedByPage {
    static let purpose: StaticString = "second step"
    static let patience: TimeInterval = 600
    static let maximumLength = 4096

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.text(personID)
        writer.integer(epoch)
        writer.fixed(password.bytes)
        writer.optionalText(rehashed?.encoded)
        writer.fixed(browser.bytes)
        writer.text(transaction)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        personID = try reader.text()
        epoch = try reader.integer()
        password = Hash256(kept: try reader.fixed(32))
        rehashed = try reader.optionalText().map(PasswordHash.init)
        browser = Hash256(kept: try reader.fixed(32))
        transaction = try reader.text()
        try reader.end()
    }
}

import PorticoBytes
import PorticoSeals
import PorticoSystem

/// What a page carries to its next step: nothing of it is stored before that
/// (docs/decisions/0034, docs/decisions/0050, docs/decisions/0052).
protocol CarriedByPage: Sendable {
    /// A unique literal.
    static var purpose: StaticString { get }
    /// In seconds. After that it is no answer any more, and says only what was typed.
    static var patience: TimeInterval { get }
    /// Of the seal, in bytes.
    static var maximumLength: Int { get }

    var encoded: [UInt8] { get }
    init(encoded: [UInt8]) throws
}

/// Seals and opens what the pages of one realm carry.
struct PageSeal<Carried: CarriedByPage>: Sendable {
    private let seal: Seal

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: Carried.purpose, realm: realmID)
    }

    func seal(_ carried: Carried, at moment: Moment) -> String {
        seal.seal(carried.encoded, at: moment.now, random: moment.random)
    }

    /// - Returns: Whether it is too late for an answer, too; `nil` if the text is not one of this realm,
    ///   or is older than ``AuthorizationFlowSeal/lifetime``.
    func open(_ text: String?, at moment: Moment) -> (carried: Carried, isLate: Bool)? {
        // `try?`: every failure leads to the same page.
        guard let text,
            let opened = try? seal.opened(
                text.utf8,
                at: moment.now,
                within: AuthorizationFlowSeal.lifetime,
                maximumLength: Carried.maximumLength
            ),
            // `try?`: only another version of the program writes other fields.
            let carried = try? Carried(encoded: opened.plaintext)
        else { return nil }
        let age = moment.now.timeIntervalSince(opened.sealedAt)
        return (carried, age >= Carried.patience)
    }
}

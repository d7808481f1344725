import PorticoBytes
import PorticoSeals

/// The hidden state of a password reset's pages: which reset it is, and how far its proof has come.
/// A seal of one step is not valid for another: opening a page does not prove a mailbox.
struct PasswordResetSeal: Sendable {
    enum Step: Sendable {
        /// The form has been submitted; a code from another browser may be entered.
        case asked
        /// The link was opened in a browser other than the one that requested it.
        case elsewhere
        /// The link or code came back to the requesting browser: a new password may be chosen.
        case proven
    }

    private let ring: KeyRing
    private let realmID: String

    init(ring: KeyRing, realmID: String) {
        self.ring = ring
        self.realmID = realmID
    }

    func seal(_ id: UniqueID, _ step: Step, at moment: Moment) -> String {
        seal(of: step).seal(id.bytes, at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if the text is not a seal of this realm and step, or is older than any
    ///   link.
    func open(_ text: String?, _ step: Step, at moment: Moment) -> UniqueID? {
        guard let text else { return nil }
        let lifetime = Double(PasswordResets.lifetime)
        // `try?`: every failure leads to the same page.
        guard let bytes = try? seal(of: step).open(text, at: moment.now, within: lifetime) else {
            return nil
        }
        return UniqueID(bytes: bytes)
    }

    private func seal(of step: Step) -> Seal {
        switch step {
        case .asked: Seal(ring: ring, purpose: "password reset asked", realm: realmID)
        case .elsewhere: Seal(ring: ring, purpose: "password reset elsewhere", realm: realmID)
        case .proven: Seal(ring: ring, purpose: "password reset proven", realm: realmID)
        }
    }
}

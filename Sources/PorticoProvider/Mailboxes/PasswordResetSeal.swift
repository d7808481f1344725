import PorticoBytes
import PorticoSeals

/// What the pages of a password reset carry unseen: which wish they are about, and how far its proof
/// has come. A seal of one step is worth nothing at another: opening a page proves no mailbox.
struct PasswordResetSeal: Sendable {
    enum Step: Sendable {
        /// The form has been sent; a code from another browser may be typed in.
        case asked
        /// The link was opened in another browser than the one that asked.
        case elsewhere
        /// Link or code came back to the browser that asked: a new password may be chosen.
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

    /// - Returns: `nil` where the text is no seal of this realm and step, or as old as links can be.
    func open(_ text: String?, _ step: Step, at moment: Moment) -> UniqueID? {
        guard let text else { return nil }
        let lifetime = Double(PasswordResets.lifetime)
        // `try?`: every way to fail is the same page.
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

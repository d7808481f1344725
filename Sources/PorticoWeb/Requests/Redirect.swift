import PorticoBytes

/// The target of a redirect: one absolute address that can stand in a `Location` header
/// (RFC 9110 §10.2.2).
///
/// It is printable ASCII without blanks, so that no input can end the header and begin another
/// (WEB-REDIR-2); whatever a person or client gave was percent-encoded before.
package struct Redirect: Hashable, Sendable {
    package let location: String

    /// `nil` where the text cannot be a header's value: CR, LF, NUL, a blank, or not ASCII.
    package init?(to location: String) {
        guard !location.isEmpty, location.utf8.allSatisfy({ $0.isVisible }) else {
            return nil
        }
        self.location = location
    }
}

import PorticoBytes

/// The target of a redirect: one absolute address that is valid in a `Location` header (RFC 9110
/// §10.2.2).
///
/// It is printable ASCII without blanks, so that no input can end the header and begin another
/// (WEB-REDIR-2); input from a person or client is percent-encoded before.
package struct Redirect: Hashable, Sendable {
    package let location: String

    /// `nil` if the text is not a valid header value: CR, LF, NUL, a blank, or not ASCII.
    package init?(to location: String) {
        guard !location.isEmpty, location.utf8.allSatisfy({ $0.isVisible }) else {
            return nil
        }
        self.location = location
    }
}

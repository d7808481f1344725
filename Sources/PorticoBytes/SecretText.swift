/// A text that must stay secret: a password, a client secret, a token.
///
/// It has no description, is compared in constant time, and is read only with ``reveal()``.
package struct SecretText: Sendable, Equatable, CustomStringConvertible,
    CustomDebugStringConvertible, CustomReflectable
{
    private let value: String

    package init(_ value: String) {
        self.value = value
    }

    /// The secret itself. Every call is a possible leak.
    package func reveal() -> String {
        value
    }

    package static func == (one: SecretText, other: SecretText) -> Bool {
        ConstantTime.equal(one.value, other.value)
    }

    package var description: String { "(secret)" }
    package var debugDescription: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

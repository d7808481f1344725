package import HTTPTypes
import PorticoBytes

extension HTTPField {
    /// A received field: whitespace around the value is not part of it (RFC 9112 §5.1).
    ///
    /// `HTTPField(name:value:)` removes it too, but its time grows with the whitespace at the end
    /// multiplied by the bytes before it, and an attacker chooses both.
    package init(_ name: Name, received value: String) {
        self.init(name: name, value: value.trimmingBlanks)
    }
}

package import HTTPTypes
import PorticoBytes

extension HTTPField {
    /// A field as it came over the wire: blanks around a value are not part of it (RFC 9112 §5.1).
    ///
    /// `HTTPField(name:value:)` takes them off as well, but takes the blanks at the end times the bytes
    /// before them: a product that somebody chooses.
    package init(_ name: Name, received value: String) {
        self.init(name: name, value: value.trimmingBlanks)
    }
}

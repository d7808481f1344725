import PorticoBytes

extension FormEncoding {
    /// Appends `text` to `output` as browsers encode a form (WHATWG URL §5.2): letters, digits and
    /// `*-._` stay, a space becomes `+`, all other bytes `%XX`.
    package static func appendAsBrowsers(_ text: String.UTF8View, to output: inout [UInt8]) {
        for byte in text {
            if byte.isLetterOrDigit || "*-._".utf8.contains(byte) {
                output.append(byte)
            } else if byte == UInt8(ascii: " ") {
                output.append(UInt8(ascii: "+"))
            } else {
                Hexadecimal.append(byte, after: "%", to: &output)
            }
        }
    }
}

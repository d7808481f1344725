import PorticoBytes

/// The `application/x-www-form-urlencoded` format (RFC 6749 appendix B), byte by byte.
package enum FormEncoding {
    /// Appends `text` to `output`, encoded: a space becomes `+`, unreserved characters stay.
    package static func append(_ text: String.UTF8View, to output: inout [UInt8]) {
        for byte in text {
            if byte.isUnreserved {
                output.append(byte)
            } else if byte == UInt8(ascii: " ") {
                output.append(UInt8(ascii: "+"))
            } else {
                Hexadecimal.append(byte, after: "%", to: &output)
            }
        }
    }

    /// Appends `text` to `output` with every byte that is not unreserved written as `%XX`
    /// (RFC 3986 §2.1), which is valid in a query and in a form alike.
    package static func appendPercentEncoded(
        _ text: String.UTF8View,
        to output: inout [UInt8]
    ) {
        for byte in text {
            if byte.isUnreserved {
                output.append(byte)
            } else {
                Hexadecimal.append(byte, after: "%", to: &output)
            }
        }
    }

    /// `name=value&…`, encoded, in the given order.
    package static func encode(_ parameters: [(name: String, value: String)]) -> [UInt8] {
        var output: [UInt8] = []
        for (name, value) in parameters {
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            append(name.utf8, to: &output)
            output.append(UInt8(ascii: "="))
            append(value.utf8, to: &output)
        }
        return output
    }

    /// `uri` with `parameters` appended to its query; `uri` itself is unchanged (RFC 6749 §3.1.2: a
    /// query of the redirect URI is kept).
    package static func appending(
        _ parameters: [(name: String, value: String)],
        to uri: String
    ) -> String {
        let uri = uri.utf8
        let separator =
            uri.contains(UInt8(ascii: "?"))
            ? (uri.last == UInt8(ascii: "?") ? nil : UInt8(ascii: "&")) : UInt8(ascii: "?")
        return appending(parameters, to: uri, after: separator)
    }

    /// `uri`, which has no fragment, with `parameters` as its fragment (OAuth 2.0 Multiple Response Types
    /// §2.1).
    package static func appending(
        _ parameters: [(name: String, value: String)],
        toFragmentOf uri: String
    ) -> String {
        appending(parameters, to: uri.utf8, after: UInt8(ascii: "#"))
    }

    private static func appending(
        _ parameters: [(name: String, value: String)],
        to uri: String.UTF8View,
        after first: UInt8?
    ) -> String {
        var output = Array(uri)
        var separator = first
        for (name, value) in parameters {
            if let separator { output.append(separator) }
            separator = UInt8(ascii: "&")
            appendPercentEncoded(name.utf8, to: &output)
            output.append(UInt8(ascii: "="))
            appendPercentEncoded(value.utf8, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The decoded text, or `nil` if an escape is broken or the result is not UTF-8, holds NUL, or
    /// is longer than ``ForeignText`` allows.
    package static func decode(_ text: some Collection<UInt8>) -> String? {
        withBytes(of: text) { decode($0[...]) }
    }

    static func decode(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            var byte = text[index]
            index += 1
            if byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            } else if byte == UInt8(ascii: "%") {
                guard index + 1 < text.endIndex, let high = text[index].hexDigitValue,
                    let low = text[index + 1].hexDigitValue
                else { return nil }
                index += 2
                byte = high << 4 | low
            }
            guard byte != 0 else { return nil }
            decoded.append(byte)
        }
        return ForeignText.decoded(decoded)
    }
}

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

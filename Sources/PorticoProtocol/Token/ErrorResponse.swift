import HTTPTypes

/// An error as a server words it, in a redirect (RFC 6749 §4.1.2.1) or in an answer (§5.2).
///
/// All of it is foreign text: cut, without characters that control how text is shown, and not for
/// logs.
package struct ErrorResponse: Hashable, Sendable {
    package let code: OAuthError.Code
    /// For the developer of the client; at most 1,024 bytes.
    package let description: String?
    /// An http or https URL of a page about the error, for the same reader; at most 1,024 bytes.
    package let address: String?

    package init(_ code: OAuthError.Code, description: String? = nil, address: String? = nil) {
        self.code = OAuthError.Code(rawValue: Self.shown(code.rawValue, 256) ?? "")
        self.description = description.flatMap { Self.shown($0, Self.longest) }
        self.address = address.flatMap(Self.page)
    }

    /// An error in a redirect.
    init(_ code: String, in parameters: FormParameters) {
        self.init(
            OAuthError.Code(rawValue: code),
            description: parameters["error_description"],
            address: parameters["error_uri"]
        )
    }

    /// An error answer of the token or revocation endpoint (§5.2).
    ///
    /// - Returns: `nil` if the reply is not such an answer, for instance a gateway's page.
    package init?(_ reply: HTTPReply) {
        guard (400...499).contains(reply.response.status.code), reply.isJSON,
            // `try?`: a reply that is not JSON is not such an answer.
            let json = try? JSONObject(parsing: reply.body),
            let code = json.string("error"), !code.isEmpty, code.utf8.count <= 256
        else { return nil }
        self.init(
            OAuthError.Code(rawValue: code),
            description: json.string("error_description"),
            address: json.string("error_uri")
        )
    }

    private static let longest = 1024

    /// Without what would end a line, or turn the direction of the text around it.
    private static func shown(_ text: String, _ longest: Int) -> String? {
        let scalars = text.unicodeScalars.lazy.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            default: scalar.properties.isBidiControl ? " " : scalar
            }
        }
        var bytes: [UInt8] = []
        for scalar in scalars {
            let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            guard bytes.count + encoded.count <= longest else { break }
            bytes += encoded
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func page(_ text: String) -> String? {
        text.utf8.count <= longest && HTTPAddress(text) != nil ? text : nil
    }
}

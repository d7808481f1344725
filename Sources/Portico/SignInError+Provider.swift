import PorticoProtocol
public import PorticoSystem

extension SignInError {
    /// An error in a provider's or backend's own words (RFC 6749 §4.1.2.1, §5.2).
    ///
    /// Foreign text, for the app's developer: printing the value shows none of it.
    public struct ProviderError: Hashable, Sendable {
        /// `error`, such as `access_denied`, cut at 256 bytes, without control characters.
        public let code: String
        /// `error_description`, cut at 1,024 bytes, without characters that control lines and
        /// directions of text.
        public let description: String?
        /// `error_uri`, if it is an http or https URL.
        public let address: String?

        /// An error for an app's own tests.
        ///
        /// - Parameters:
        ///   - code: `error`.
        ///   - description: `error_description`.
        ///   - address: `error_uri`.
        public init(code: String, description: String? = nil, address: String? = nil) {
            self.code = code
            self.description = description
            self.address = address
        }

        init(_ error: ErrorResponse) {
            code = error.code.rawValue
            description = error.description
            address = error.address
        }
    }

    /// An error of this kind with a server's words, for an app's own tests.
    public init(_ kind: Kind, providerError: ProviderError) {
        self.init(kind)
        self.providerError = providerError
    }

    /// - Parameter cause: Whose provider's words this error keeps.
    init(_ kind: Kind, _ cause: SignInError) {
        self.init(kind)
        providerError = cause.providerError
    }

    public static func == (one: SignInError, other: SignInError) -> Bool {
        one.kind == other.kind
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
    }
}

extension SignInError.ProviderError: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { "ProviderError" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SignInError: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}

extension SignInError: LocalizedError {
    /// ``description``, in English.
    public var errorDescription: String? { description }
}

import PorticoBytes
package import PorticoProtocol

/// A team's API behind the BFF: requests to `/bff/{name}/…` are passed on to it with the person's
/// access token (WEB-BFF-4). No other address can be reached.
package struct ProxiedAPI: Hashable, Sendable {
    /// Lower-case letters, digits, `-`.
    package let name: String
    /// Scheme, host, port and a path to which the rest is appended; no query.
    package let base: HTTPAddress
    /// The configured name of the identity provider that issues the API's access tokens.
    package let provider: String

    /// As configured.
    package var text: String { "\(name)=\(base.text),\(provider)" }

    package enum Refusal: Error, Hashable, Sendable {
        case name
        case address
        case insecure
        case provider

        package var explanation: StaticString {
            switch self {
            case .name: "An API's name is made of lower-case letters, digits and -."
            case .address: "An API's address is http(s)://host[:port][/path], without a query."
            case .insecure: "An API that is not on a loopback literal is reached by https."
            case .provider: "Say whose access token the API takes: NAME=ADDRESS,PROVIDER"
            }
        }
    }

    /// - Parameter text: `orders=https://orders.example.com/v2,keycloak`.
    package init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isName(parts[0]) else { throw .name }
        let fields = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 2, Self.isName(fields[1]) else { throw .provider }
        guard let base = HTTPAddress(String(fields[0])), base.query == nil,
            !base.path.hasSuffix("/")
        else { throw .address }
        guard base.isSecure || base.isLoopback else { throw .insecure }
        name = String(parts[0])
        self.base = base
        provider = String(fields[1])
    }

    private static func isName(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-")
            }
    }
}

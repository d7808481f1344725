package import PorticoProtocol

/// The name of an account, a host name (AT Protocol, Handles). Whose it is has to be looked up.
package struct Handle: Hashable, Sendable {
    package let name: HostName

    /// Lower case, at most 253 bytes.
    package var text: String { name.text }

    /// Said in place of a handle that its account does not confirm.
    package static let invalid = "handle.invalid"

    package init(_ text: some StringProtocol, _ rules: IdentityRules = .production)
        throws(HostName.Refusal)
    {
        name = try HostName(text, allowsTest: rules.allowsTest)
    }
}

/// What is taken as an identity besides what the AT Protocol allows in production.
package struct IdentityRules: Sendable {
    /// Names under `.test`, and a `did:plc` of any length, as documents and tests write them.
    package var allowsTest = false
    /// Servers over plain http, `http://localhost:9000`: of a demonstration or a test network.
    package var plainOrigins: Set<String> = []

    package init() {}

    package static let production = IdentityRules()
}

/// What a realm needs to be the authorization server of a host of the AT Protocol.
package struct ATProtocolRealm: Hashable, Sendable {
    /// The origin of the host, which its access tokens are for.
    package var resource: String

    package init(resource: String) {
        self.resource = resource
    }
}

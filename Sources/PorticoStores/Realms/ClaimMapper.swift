package import PorticoProtocol

/// A rule that puts a claim into tokens, as data. What it does stands in PorticoProvider.
package struct ClaimMapper: Hashable, Sendable {
    package var source: Source
    /// Where the claim goes.
    package var targets: Set<Target>

    package init(_ source: Source, into targets: Set<Target> = Set(Target.allCases)) {
        self.source = source
        self.targets = targets
    }

    package enum Target: String, CaseIterable, Hashable, Sendable {
        case accessToken = "access_token"
        case idToken = "id_token"
        case userInfo = "userinfo"
    }

    package enum Source: Hashable, Sendable {
        /// The names of the person's realm roles, as an array under `claim`.
        case realmRoles(claim: String)
        /// The names of the person's roles of one client, as an array under `claim`.
        case clientRoles(clientID: String, claim: String)
        /// An attribute of the person: all its values, or the first.
        case attribute(name: String, claim: String, isMultivalued: Bool)
        case fixed(claim: String, value: JSONValue)
        /// One more audience of the access token.
        case audience(String)
    }
}

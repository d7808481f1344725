package import PorticoProtocol
package import PorticoStores

/// What is kept of an imported realm and acts on nothing, as its file had it: an authentication
/// flow, a component, the settings for mail.
package struct RealmPartRepresentation: Sendable {
    package let json: JSONObject

    /// - Throws: where the key ring does not fit.
    package init(_ part: RealmPart, secrets: RealmSecrets) throws {
        var json = try secrets.whole(part)
        // Components stand under it in a file.
        if part.kind == "components" { json["providerType"] = nil }
        self.json = json
    }
}

/// Who runs the service, for its pages and emails.
package struct ServiceIdentity: Hashable, Sendable {
    package var name: String
    /// Contact for support: an email address or https address.
    package var contact: String?
    /// Its privacy notice and terms: https addresses.
    package var privacy: String?
    package var terms: String?

    package init(
        name: String,
        contact: String? = nil,
        privacy: String? = nil,
        terms: String? = nil
    ) {
        self.name = name
        self.contact = contact
        self.privacy = privacy
        self.terms = terms
    }
}

/// Who runs the service, for its pages and mails.
package struct ServiceIdentity: Hashable, Sendable {
    package var name: String
    /// Where people ask for help: an e-mail address or https address.
    package var contact: String?
    /// Its notice of privacy and its terms: https addresses.
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

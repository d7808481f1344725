/// A person with an account at the stand-in of a host of the AT Protocol.
package struct ATHostPerson: Hashable, Sendable {
    /// In lower case.
    package var handle: String
    package var did: String
    package var email: String
    /// Where the directory says that the account is, if it is not at this host: an origin.
    package var movedTo: String?

    package init(handle: String, did: String, email: String, movedTo: String? = nil) {
        self.handle = handle
        self.did = did
        self.email = email
        self.movedTo = movedTo
    }

    // DIDs as the directory makes them, 24 letters of base32, though not from any key.

    package static let ann = ATHostPerson(
        handle: "ann.handles.test",
        did: "did:plc:annstandin2222222222222a",
        email: "ann@example.com"
    )
    package static let bob = ATHostPerson(
        handle: "bob.handles.test",
        did: "did:plc:bobstandin2222222222222b",
        email: "bob@example.com"
    )
}

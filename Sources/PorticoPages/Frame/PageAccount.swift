/// A person as a page names them.
package struct PageAccount: Sendable {
    /// What people call them, where known.
    package let name: String?
    /// What they sign in with.
    package let userName: String

    package init(name: String?, userName: String) {
        self.name = name
        self.userName = userName
    }
}

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

    static let sample = PageAccount(name: "Ann Example", userName: "ann@example.com")

    /// What the `account` template reads.
    package struct View: Sendable {
        let accountInitial: ShownText
        let accountName: ShownText
        /// Left out where it would only repeat the name.
        let accountUserName: ShownText?

        init(_ account: PageAccount) {
            let name = account.name ?? account.userName
            accountInitial = ShownText(initialOf: name)
            accountName = ShownText(name)
            accountUserName = account.name == nil ? nil : ShownText(account.userName)
        }
    }
}

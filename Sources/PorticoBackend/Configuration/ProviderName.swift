/// What a provider can be called in addresses: `google`.
enum ProviderName {
    /// Segments below `/v1/auth/` that are addresses of ours.
    private static let reserved: Set<String> = ["token", "refresh", "session", "logout"]

    /// Whether each address of a provider of this name leads to it, and none to something of ours.
    static func isAvailable(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/")) && !reserved.contains(name)
    }
}

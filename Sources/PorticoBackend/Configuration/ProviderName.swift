/// The names for providers in addresses: `google`.
enum ProviderName {
    /// Segments below `/v1/auth/` that our own addresses use.
    private static let reserved: Set<String> = ["token", "refresh", "session", "logout"]

    /// Whether no address of a provider with this name conflicts with one of ours.
    static func isAvailable(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/")) && !reserved.contains(name)
    }
}

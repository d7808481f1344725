import PorticoBackend

extension AccountRules {
    /// Whose accounts are made and joined, as the settings have it.
    init(_ settings: Settings) {
        self.init(isSignUpOpen: settings.isSignUpOpen, linking: settings.linking)
    }
}

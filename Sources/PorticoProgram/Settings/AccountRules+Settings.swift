import PorticoBackend

extension AccountRules {
    /// Who may sign up and how providers are connected, as the settings have it.
    init(_ settings: Settings) {
        self.init(isSignUpOpen: settings.isSignUpOpen, linking: settings.linking)
    }
}

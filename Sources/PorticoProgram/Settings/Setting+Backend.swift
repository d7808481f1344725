import PorticoBackend
import PorticoBytes
import PorticoPages

extension Setting {
    /// What the backend-for-frontend is told: whose accounts these are, and the rules for them.
    static let backend: [Setting] = [
        Setting(
            "service.name",
            expected: "a name of 1 to 60 characters",
            standard: "Portico",
            apply: { settings, text in
                guard (1...60).contains(text.count), !text.contains(where: \.isNewline) else {
                    return false
                }
                settings.serviceName = text
                return true
            },
            show: { $0.serviceName }
        ),
        Setting(
            "service.contact",
            expected: "an email address or an https address",
            standard: "none",
            apply: { settings, text in
                guard text.hasPrefix("https://") || text.contains("@"),
                    text.utf8.allSatisfy({ $0.isVisible })
                else { return false }
                settings.serviceContact = text
                return true
            },
            show: { $0.serviceContact }
        ),
        Setting(
            "service.privacy",
            expected: "an https address",
            standard: "none",
            apply: { settings, text in
                guard PageLink(https: text) != nil else { return false }
                settings.servicePrivacy = text
                return true
            },
            show: { $0.servicePrivacy }
        ),
        Setting(
            "service.terms",
            expected: "an https address",
            standard: "none",
            apply: { settings, text in
                guard PageLink(https: text) != nil else { return false }
                settings.serviceTerms = text
                return true
            },
            show: { $0.serviceTerms }
        ),
        Setting(
            "accounts.sign-up",
            expected: "one of open, closed",
            standard: "open",
            apply: { settings, text in
                guard ["open", "closed"].contains(text) else { return false }
                settings.isSignUpOpen = text == "open"
                return true
            },
            show: { $0.isSignUpOpen ? "open" : "closed" }
        ),
        Setting(
            "accounts.linking",
            expected: "one of ask, auto",
            standard: "ask",
            apply: { settings, text in
                guard let linking = AccountRules.Linking(rawValue: text) else { return false }
                settings.linking = linking
                return true
            },
            show: { $0.linking.rawValue }
        ),
        Setting(
            list: "bff.apis",
            option: "bff-api",
            expected: "NAME=ADDRESS,PROVIDER, as orders=https://orders.example.com,keycloak",
            apply: { settings, texts in
                var apis: [ProxiedAPI] = []
                for text in texts {
                    // `try?`: whether it is one is the question.
                    guard let api = try? ProxiedAPI(text) else { return false }
                    apis.append(api)
                }
                settings.apis = apis
                return true
            },
            show: { $0.apis.map(\.text) }
        ),
    ]
}

import PorticoBytes
import PorticoProtocol

/// Finds what protected a realm there and would not here (``ImportReport/Outcome/weaker``).
struct SecurityLosses {
    let realm: Representation

    func add(to report: inout ImportReport) throws(RealmImportError) {
        try addPolicies(&report)
        try addPasswordRules(&report)
        try FlowDemands(realm).add(
            browserFlow: try realm.text("browserFlow"),
            clients: try realm.children("clients"),
            to: &report
        )
        for action in try realm.children("requiredActions") {
            guard try action.bool("enabled") == true, try action.bool("defaultAction") == true,
                let alias = try action.text("alias"), Self.enrolments.contains(alias)
            else { continue }
            report.add(
                .weaker,
                "required action \(alias)",
                "new people had to add a second factor; here they may"
            )
        }
    }

    private static let enrolments: Set<String> = [
        "CONFIGURE_TOTP", "CONFIGURE_RECOVERY_AUTHN_CODES", "webauthn-register",
    ]

    private func addPolicies(_ report: inout ImportReport) throws(RealmImportError) {
        for policy in try realm.child("clientPolicies")?.children("policies") ?? []
        where try policy.bool("enabled") == true {
            let name = try policy.text("name") ?? ""
            report.add(.weaker, "client policy \(name)", "kept, but nothing here applies it")
        }
    }

    /// Rules that this server has in one form or another, or that say how passwords are hashed.
    private static let met: Set<String> = [
        "hashAlgorithm", "hashIterations", "notUsername", "notEmail", "maxLength",
        "notContainsUsername", "passwordBlacklist",
    ]

    /// `length(12) and digits(1)`
    private func addPasswordRules(_ report: inout ImportReport) throws(RealmImportError) {
        guard let policy = try realm.text("passwordPolicy") else { return }
        for rule in Self.rules(of: policy) {
            let name = String(rule.prefix { $0 != "(" })
            if Self.met.contains(name) { continue }
            let number = Int(rule.filter(\.isNumber))
            if name == "length", let number, number <= 8 { continue }
            report.add(
                .weaker,
                "passwordPolicy",
                rule,
                "new passwords here need 8 characters and must not be common ones, no more"
            )
        }
    }

    private static func rules(of policy: String) -> [String] {
        policy.utf8.count > 4096
            ? ["a rule of more than 4 KiB"]
            : policy.split(separator: " and ").map { $0.trimmingPrefix(" ") }.map(String.init)
    }
}

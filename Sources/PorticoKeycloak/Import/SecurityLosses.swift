import PorticoBytes
import PorticoProtocol

/// Finds what protected a realm there and would not here (``ImportReport/Outcome/weaker``).
struct SecurityLosses {
    let realm: Representation

    func add(to report: inout ImportReport) throws(RealmImportError) {
        try addPolicies(&report)
        try addPasswordRules(&report)
        try addFlows(&report)
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

    private struct Execution {
        let authenticator: String?
        let flow: String?
        let requirement: String
    }

    /// Executions that ask for a second factor.
    private static let factors: Set<String> = [
        "auth-otp-form", "webauthn-authenticator", "auth-recovery-authn-code-form",
    ]

    private func addFlows(_ report: inout ImportReport) throws(RealmImportError) {
        var flows: [String: [Execution]] = [:]
        var aliases: [String: String] = [:]
        for flow in try realm.children("authenticationFlows") {
            guard let alias = try flow.text("alias") else { continue }
            var executions: [Execution] = []
            for execution in try flow.children("authenticationExecutions") {
                executions.append(
                    Execution(
                        authenticator: try execution.text("authenticator"),
                        flow: try execution.text("flowAlias"),
                        requirement: try execution.text("requirement") ?? "DISABLED"
                    )
                )
            }
            flows[alias] = executions
            if let id = try flow.text("id") { aliases[id] = alias }
        }
        func demands(_ alias: String) -> Bool {
            var seen: Set<String> = []
            return Self.demands(alias, flows, &seen)
        }
        if let browser = try realm.text("browserFlow"), demands(browser) {
            report.add(
                .weaker,
                "browserFlow \(browser)",
                "everyone had to have a second factor; here only who has one is asked for it"
            )
        }
        for client in try realm.children("clients") {
            guard let id = try client.child("authenticationFlowBindingOverrides")?.text("browser"),
                let alias = aliases[id], demands(alias)
            else { continue }
            report.add(
                .weaker,
                "client \(try client.text("clientId") ?? "")",
                "its people had to have a second factor; here only who has one is asked for it"
            )
        }
    }

    /// Whether no one gets through without a second factor. A flow that asks only who has one is
    /// what this server does.
    private static func demands(
        _ alias: String,
        _ flows: [String: [Execution]],
        _ seen: inout Set<String>
    ) -> Bool {
        guard seen.insert(alias).inserted, let executions = flows[alias] else { return false }
        for execution in executions where execution.requirement != "DISABLED" {
            if let name = execution.authenticator, factors.contains(name),
                execution.requirement == "REQUIRED"
            {
                return true
            }
            guard let inner = execution.flow else { continue }
            if execution.requirement == "CONDITIONAL" {
                let asksWhoHasOne = (flows[inner] ?? []).contains {
                    $0.authenticator == "conditional-user-configured"
                        && $0.requirement == "REQUIRED"
                }
                if asksWhoHasOne { continue }
            }
            if demands(inner, flows, &seen) { return true }
        }
        return false
    }
}

import PorticoAdministration
import PorticoProtocol
import PorticoStores

/// Which flows let no one through without a second factor. Sign-in follows no flow here, so an import
/// reports those that people signed in by. Found once, in a time that grows as the flows do.
struct FlowDemands: Sendable {
    /// By their aliases.
    private let demanding: Set<String>
    /// The aliases of all, by their ids.
    private let aliases: [String: String]

    init(_ realm: Representation) throws(RealmImportError) {
        var flows: [String: [Execution]] = [:]
        var aliases: [String: String] = [:]
        for flow in try realm.children("authenticationFlows") {
            guard let alias = try flow.text("alias") else { continue }
            var executions: [Execution] = []
            for execution in try flow.children("authenticationExecutions") {
                let requirement = try execution.text("requirement") ?? "DISABLED"
                guard requirement != "DISABLED" else { continue }
                executions.append(
                    Execution(
                        authenticator: try execution.text("authenticator"),
                        flow: try execution.text("flowAlias"),
                        requirement: requirement
                    )
                )
            }
            flows[alias] = executions
            if let id = try flow.text("id") { aliases[id] = alias }
        }
        self.aliases = aliases
        demanding = Self.demanding(flows)
    }

    init(_ flows: FlowSet) throws(RealmImportError) {
        let json: JSONObject = ["authenticationFlows": .array(flows.flows.map(JSONValue.object))]
        try self.init(Representation(.object(json), path: ""))
    }

    /// - Parameters:
    ///   - browserFlow: The one that everyone signs in by.
    ///   - clients: Of which some bind another flow.
    func add(browserFlow: String?, clients: [Representation], to report: inout ImportReport)
        throws(RealmImportError)
    {
        if let browserFlow, demanding.contains(browserFlow) {
            report.add(
                .weaker,
                "browserFlow \(browserFlow)",
                "everyone had to have a second factor; here only who has one is asked for it"
            )
        }
        for client in clients {
            guard let id = try client.child("authenticationFlowBindingOverrides")?.text("browser"),
                let alias = aliases[id], demanding.contains(alias)
            else { continue }
            report.add(
                .weaker,
                "client \(try client.text("clientId") ?? "")",
                "its people had to have a second factor; here only who has one is asked for it"
            )
        }
    }

    /// - Parameter clients: Their representations.
    func report(browserFlow: String?, clients: [JSONObject]) throws(RealmImportError)
        -> ImportReport
    {
        var report = ImportReport(realm: "", naming: .max)
        var representations: [Representation] = []
        for client in clients {
            representations.append(try Representation(.object(client), path: ""))
        }
        try add(browserFlow: browserFlow, clients: representations, to: &report)
        return report
    }

    // MARK: What demands

    /// A step that is not disabled.
    private struct Execution {
        let authenticator: String?
        let flow: String?
        let requirement: String

        /// Executions that ask for a second factor.
        private static let factors: Set<String> = [
            "auth-otp-form", "webauthn-authenticator", "auth-recovery-authn-code-form",
        ]

        var isFactor: Bool { authenticator.map { Self.factors.contains($0) } ?? false }

        var isAlternativeFactor: Bool { isFactor && requirement == "ALTERNATIVE" }
    }

    /// Those that demand one, and whatever leads to such a one.
    private static func demanding(_ flows: [String: [Execution]]) -> Set<String> {
        var leading: [String: [String]] = [:]
        var pending: [String] = []
        for (alias, executions) in flows {
            if demands(executions) { pending.append(alias) }
            for execution in executions {
                guard let inner = execution.flow else { continue }
                if execution.requirement == "CONDITIONAL", asksWhoHasOne(flows[inner] ?? []) {
                    continue
                }
                leading[inner, default: []].append(alias)
            }
        }
        var demanding: Set<String> = []
        while let alias = pending.popLast() {
            if demanding.insert(alias).inserted { pending += leading[alias] ?? [] }
        }
        return demanding
    }

    private static func demands(_ executions: [Execution]) -> Bool {
        let steps = executions.filter { $0.authenticator?.hasPrefix("conditional-") != true }
        // People choose one of them.
        if !steps.isEmpty, steps.allSatisfy(\.isAlternativeFactor) { return true }
        return executions.contains { $0.isFactor && $0.requirement == "REQUIRED" }
    }

    /// Whether a flow asks only who has one, as this server does.
    private static func asksWhoHasOne(_ executions: [Execution]) -> Bool {
        executions.contains {
            $0.authenticator == "conditional-user-configured" && $0.requirement == "REQUIRED"
        }
    }
}

/// The flows of a realm.
extension RealmAdministration {
    /// Those that the realm came with, or were made since; in one without any, Keycloak's own.
    func flows(ofRealm realmID: String) async throws -> FlowSet {
        let kept = try await store.parts(AdminFlows.kind, realmID: realmID)
        return FlowSet(kept.isEmpty ? BuiltInFlows.flows(of: realmID) : kept.map(FlowSet.flow))
    }
}

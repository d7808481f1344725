import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The authentication flows of a realm as data (Keycloak `AuthenticationFlowRepresentation`), and the
/// steps in them, which files give no ids.
struct FlowSet: Sendable {
    private(set) var flows: [JSONObject]

    /// Where a step stands.
    struct Place: Sendable {
        let flow: Int
        let step: Int
    }

    init(_ flows: [JSONObject]) {
        self.flows = flows
    }

    /// A flow of a file has an id of its own, or the one that it is kept by.
    static func flow(_ part: RealmPart) -> JSONObject {
        var flow = part.document
        if flow.string("id")?.isEmpty ?? true { flow["id"] = .string(part.id) }
        return flow
    }

    func index(ofAlias alias: String) -> Int? {
        flows.firstIndex { $0.string("alias").map { sameBytes($0, alias) } ?? false }
    }

    func index(ofID id: String) -> Int? {
        flows.firstIndex { $0.string("id").map { sameBytes($0, id) } ?? false }
    }

    subscript(flow: Int) -> JSONObject {
        get { flows[flow] }
        set { flows[flow] = newValue }
    }

    // MARK: Steps

    func steps(of flow: Int) -> [JSONObject] {
        (flows[flow].array("authenticationExecutions") ?? []).compactMap(\.object)
    }

    mutating func setSteps(_ steps: [JSONObject], of flow: Int) {
        flows[flow]["authenticationExecutions"] = .array(steps.map(JSONValue.object))
    }

    /// What a step asks for, or the flow that it is.
    static func name(of step: JSONObject) -> String {
        step.string("flowAlias") ?? step.string("authenticator") ?? ""
    }

    /// One stays the same, whatever is added before its step: only of two that ask the same, the
    /// place counts. Made for all steps at once, in a time that grows as they do.
    private func ids(of flow: Int) -> [String] {
        let id = flows[flow].string("id") ?? ""
        var counts: [ExactText: Int] = [:]
        return steps(of: flow).map { step in
            let name = ExactText(Self.name(of: step))
            let before = counts[name, default: 0]
            counts[name] = before + 1
            return UniqueID(of: "execution\n\(id)\n\(name.text)\n\(before)").text
        }
    }

    func id(of place: Place) -> String { ids(of: place.flow)[place.step] }

    func place(ofStep id: String) -> Place? {
        for flow in flows.indices {
            if let step = ids(of: flow).firstIndex(where: { sameBytes($0, id) }) {
                return Place(flow: flow, step: step)
            }
        }
        return nil
    }

    /// A step that asks for something; or, with `isFlow`, for what a flow does.
    mutating func add(_ name: String, isFlow: Bool, to flow: Int) -> Place {
        var steps = steps(of: flow)
        let last = steps.compactMap { $0.int64("priority") }.max() ?? -1
        var step: JSONObject = [
            "requirement": "DISABLED", "priority": .integer(min(last, 1_000_000) + 1),
            "authenticatorFlow": .bool(isFlow), "autheticatorFlow": .bool(isFlow),
            "userSetupAllowed": false,
        ]
        step[isFlow ? "flowAlias" : "authenticator"] = .string(name)
        steps.append(step)
        setSteps(steps, of: flow)
        return Place(flow: flow, step: steps.count - 1)
    }

    /// Moves a step before the one before it, or behind the one behind it.
    mutating func move(_ place: Place, up isUp: Bool) {
        var steps = steps(of: place.flow)
        let other = isUp ? place.step - 1 : place.step + 1
        guard steps.indices.contains(other) else { return }
        let (one, two) = (steps[place.step]["priority"], steps[other]["priority"])
        steps[place.step]["priority"] = two
        steps[other]["priority"] = one
        steps.swapAt(place.step, other)
        setSteps(steps, of: place.flow)
    }

    // MARK: As the administration shows them

    /// Flows that lie in each other end at this depth.
    private static let deepest: Int64 = 8

    /// The steps of a flow and of those in it, in their order (Keycloak
    /// `AuthenticationExecutionInfoRepresentation`).
    ///
    /// - Parameter configs: The ids of settings, by their names.
    func shown(_ flow: Int, configs: [String: String]) -> [JSONObject] {
        var shown: [JSONObject] = []
        add(flow, level: 0, configs, to: &shown)
        return shown
    }

    private func add(
        _ flow: Int,
        level: Int64,
        _ configs: [String: String],
        to shown: inout [JSONObject]
    ) {
        guard level < Self.deepest, shown.count < 1000 else { return }
        let ids = ids(of: flow)
        for (index, step) in steps(of: flow).enumerated() {
            var json: JSONObject = ["id": .string(ids[index]), "configurable": true]
            json["requirement"] = step["requirement"] ?? "REQUIRED"
            json["displayName"] = .string(Self.name(of: step))
            json["requirementChoices"] = ["REQUIRED", "ALTERNATIVE", "DISABLED", "CONDITIONAL"]
            json["providerId"] = step["authenticator"]
            if let name = step.string("authenticatorConfig") {
                json["alias"] = .string(name)
                json["authenticationConfig"] = configs[name].map(JSONValue.string)
            }
            let inner = step.string("flowAlias").flatMap(index(ofAlias:))
            if step["flowAlias"] != nil {
                json["authenticationFlow"] = true
                json["flowId"] = inner.flatMap { flows[$0]["id"] }
                json["description"] = inner.flatMap { flows[$0]["description"] }
            }
            json["level"] = .integer(level)
            json["index"] = .integer(Int64(index))
            json["priority"] = step["priority"] ?? .integer(Int64(index))
            shown.append(json)
            if let inner { add(inner, level: level + 1, configs, to: &shown) }
        }
    }

    /// One step by itself (Keycloak `AuthenticationExecutionRepresentation`).
    func shown(_ place: Place) -> JSONObject {
        var json = steps(of: place.flow)[place.step]
        json["id"] = .string(id(of: place))
        json["parentFlow"] = flows[place.flow]["id"]
        if let inner = json.string("flowAlias").flatMap(index(ofAlias:)) {
            json["flowId"] = flows[inner]["id"]
        }
        return json
    }

    // MARK: Copies

    /// Copies a flow under another name, with the flows in it.
    ///
    /// - Returns: The copies, the flow's own first; `nil` where a name is there, or they are too many.
    func copies(of flow: Int, named name: String, most: Int, random: RandomSource) -> [JSONObject]?
    {
        var copies: [JSONObject] = []
        var pending = [(flow: flow, alias: name)]
        while let next = pending.popLast() {
            guard copies.count + flows.count < most, index(ofAlias: next.alias) == nil else {
                return nil
            }
            var made = flows[next.flow]
            made["id"] = .string(UniqueID(random: random).text)
            made["alias"] = .string(next.alias)
            made["builtIn"] = false
            var steps: [JSONObject] = []
            for step in self.steps(of: next.flow) {
                var step = step
                if let inner = step.string("flowAlias"), let found = index(ofAlias: inner) {
                    let alias = "\(name) \(inner)"
                    step["flowAlias"] = .string(alias)
                    pending.append((found, alias))
                }
                steps.append(step)
            }
            made["authenticationExecutions"] = .array(steps.map(JSONValue.object))
            copies.append(made)
        }
        return copies
    }
}

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
extension AdminCall {
    /// Those that the realm came with, or were made since; in one without any, Keycloak's own.
    func flows() async throws -> FlowSet {
        let kept = try await parts(AdminFlows.kind)
        return FlowSet(kept.isEmpty ? BuiltInFlows.flows(of: realmID) : kept.map(FlowSet.flow))
    }
}

/// The authentication flows that programs expect in every realm of Keycloak's, for those that came
/// with none. Their names are Keycloak's, because programs name them.
enum BuiltInFlows {
    static func flows(of realmID: String) -> [JSONObject] {
        table.map { flow in
            [
                "id": .string(UniqueID(of: "flow\n\(realmID)\n\(flow.alias)").text),
                "alias": .string(flow.alias), "description": "",
                "providerId": .string(flow.kind), "topLevel": .bool(flow.isTop), "builtIn": true,
                "authenticationExecutions": .array(
                    flow.steps.enumerated().map { .object(execution($1, at: $0)) }
                ),
            ]
        }
    }

    /// Of those at the top.
    static let names = Set(table.filter(\.isTop).map(\.alias))

    /// - Parameter step: The requirement and what is asked; a flow in it with `>`.
    private static func execution(_ step: String, at index: Int) -> JSONObject {
        let parts = step.split(separator: " ", maxSplits: 1)
        let isFlow = parts[1].hasPrefix(">")
        var json: JSONObject = [
            "requirement": .string(String(parts[0])), "priority": .integer(Int64(index + 1) * 10),
            "authenticatorFlow": .bool(isFlow), "autheticatorFlow": .bool(isFlow),
            "userSetupAllowed": false,
        ]
        json[isFlow ? "flowAlias" : "authenticator"] = .string(
            String(isFlow ? parts[1].dropFirst() : parts[1])
        )
        return json
    }

    private struct Flow {
        let alias: String
        var kind = "basic-flow"
        var isTop = true
        let steps: [String]
    }

    private static let table = [
        Flow(
            alias: "browser",
            steps: [
                "ALTERNATIVE auth-cookie", "ALTERNATIVE identity-provider-redirector",
                "ALTERNATIVE >forms",
            ]
        ),
        Flow(
            alias: "forms",
            isTop: false,
            steps: [
                "REQUIRED auth-username-password-form", "CONDITIONAL >Browser - Conditional 2FA",
            ]
        ),
        Flow(
            alias: "Browser - Conditional 2FA",
            isTop: false,
            steps: [
                "REQUIRED conditional-user-configured", "ALTERNATIVE auth-otp-form",
                "ALTERNATIVE auth-recovery-authn-code-form",
            ]
        ),
        Flow(
            alias: "direct grant",
            steps: [
                "REQUIRED direct-grant-validate-username",
                "REQUIRED direct-grant-validate-password",
            ]
        ),
        Flow(alias: "registration", steps: ["REQUIRED >registration form"]),
        Flow(
            alias: "registration form",
            kind: "form-flow",
            isTop: false,
            steps: ["REQUIRED registration-user-creation", "REQUIRED registration-password-action"]
        ),
        Flow(
            alias: "reset credentials",
            steps: [
                "REQUIRED reset-credentials-choose-user", "REQUIRED reset-credential-email",
                "REQUIRED reset-password",
            ]
        ),
        Flow(
            alias: "clients",
            kind: "client-flow",
            steps: ["ALTERNATIVE client-secret", "ALTERNATIVE client-jwt"]
        ),
        Flow(
            alias: "first broker login",
            steps: ["REQUIRED idp-review-profile", "REQUIRED >User creation or linking"]
        ),
        Flow(
            alias: "User creation or linking",
            isTop: false,
            steps: ["ALTERNATIVE idp-create-user-if-unique", "ALTERNATIVE idp-confirm-link"]
        ),
        Flow(alias: "docker auth", steps: ["REQUIRED docker-http-basic-authenticator"]),
    ]
}

extension UniqueID {
    /// The one that follows from a text: always the same.
    init(of text: String) {
        self.init(random: RandomSource { Array(Hash256(of: text).bytes.prefix($0)) })
    }
}

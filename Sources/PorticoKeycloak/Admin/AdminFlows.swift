import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/authentication/flows` and the steps in them: kept as data, for programs that name them and for
/// exports. Nothing here runs one: how people sign in is decided elsewhere.
struct AdminFlows: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] { reading + writing + settings }

    private static let base = "authentication/flows"
    private static let step = "authentication/executions/{step}"

    private var reading: [AdminRow] {
        [
            .get(Self.base, .viewRealm) { call in
                .list(try await flows(call).flows.filter { $0.bool("topLevel") != false })
            },
            .get("\(Self.base)/{flow}", .viewRealm) { call in
                let flows = try await flows(call)
                return .object(flows[try Self.byID(call, flows)])
            },
            .get("\(Self.base)/{flow}/executions", .viewRealm) { call in
                let flows = try await flows(call)
                let configs = Dictionary(
                    try await configs(call).map { ($0.document.string("alias") ?? "", $0.id) }
                ) { first, _ in first }
                return .list(flows.shown(try Self.byAlias(call, flows), configs: configs))
            },
            .get(Self.step, .viewRealm) { call in
                let flows = try await flows(call)
                return .object(flows.shown(try Self.place(call, flows)))
            },
        ]
            + [
                "authenticator-providers", "client-authenticator-providers", "form-providers",
                "form-action-providers", "unregistered-required-actions",
            ].map { name in AdminRow.get("authentication/\(name)", .viewRealm) { _ in .json([]) } }
    }

    private var writing: [AdminRow] {
        [
            .post(Self.base, .manageRealm, create),
            .put("\(Self.base)/{flow}", .manageRealm, update),
            .delete("\(Self.base)/{flow}", .manageRealm, delete),
            .post("\(Self.base)/{flow}/copy", .manageRealm, copy),
            .put("\(Self.base)/{flow}/executions", .manageRealm, updateStep),
            .post("\(Self.base)/{flow}/executions/execution", .manageRealm, addStep),
            .post("\(Self.base)/{flow}/executions/flow", .manageRealm, addFlow),
            .delete(Self.step, .manageRealm, deleteStep),
            .post("\(Self.step)/raise-priority", .manageRealm) { try await move($0, up: true) },
            .post("\(Self.step)/lower-priority", .manageRealm) { try await move($0, up: false) },
        ]
    }

    static let kind = "authenticationFlows"
    /// As many as a realm may have, and a flow's steps.
    private static let most = 200
    private static let kinds: Set = ["basic-flow", "client-flow", "form-flow"]

    private var store: RealmStore { administration.store }

    private func flows(_ call: AdminCall) async throws -> FlowSet {
        try await administration.flows(ofRealm: call.realmID)
    }

    private static func byID(_ call: AdminCall, _ flows: FlowSet) throws -> Int {
        guard let flow = flows.index(ofID: try call.segment("flow")) else { throw noFlow }
        return flow
    }

    private static func byAlias(_ call: AdminCall, _ flows: FlowSet) throws -> Int {
        guard let flow = flows.index(ofAlias: try call.segment("flow")) else { throw noFlow }
        return flow
    }

    private static let noFlow = AdminRefusal.notFound("Flow not found")

    private static func place(_ call: AdminCall, _ flows: FlowSet) throws -> FlowSet.Place {
        guard let place = flows.place(ofStep: try call.segment("step")) else {
            throw AdminRefusal.notFound("Illegal execution")
        }
        return place
    }

    // MARK: Flows

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await flows(call)
        let made = try Self.new(try call.representation(.flow), kind: "providerId", call, flows)
        flows = FlowSet(flows.flows + [made])
        try await keep(flows, call)
        return .created(path: call.path(made.string("id") ?? ""))
    }

    /// - Parameter kind: The member that says what kind of flow it is.
    private static func new(
        _ body: Representation,
        kind: String,
        _ call: AdminCall,
        _ flows: FlowSet
    ) throws -> JSONObject {
        let alias = try name(body, flows)
        let kind = try body.text(kind) ?? "basic-flow"
        guard flows.flows.count < most, kinds.contains(kind) else {
            throw AdminRefusal.invalid(
                "The realm has too many flows, or there is none of that kind."
            )
        }
        return [
            "id": .string(UniqueID(random: call.moment.random).text), "alias": .string(alias),
            "description": .string(try body.string("description") ?? ""),
            "providerId": .string(kind), "topLevel": .bool(try body.bool("topLevel") ?? true),
            "builtIn": false, "authenticationExecutions": [],
        ]
    }

    private static func name(_ body: Representation, _ flows: FlowSet) throws -> String {
        guard let alias = try body.text("alias"), PlainText.isLine(alias, length: 255) else {
            throw AdminRefusal.invalid("Failed to create flow with empty alias name")
        }
        guard flows.index(ofAlias: alias) == nil else {
            throw AdminRefusal.conflict("Flow \(PlainText.shown(alias)) already exists")
        }
        return alias
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await flows(call)
        let flow = try Self.byID(call, flows)
        let body = try call.representation(.flow)
        if let alias = try body.text("alias"), alias != flows[flow].string("alias") {
            try Self.expectChangeable(flows[flow])
            let former = flows[flow].string("alias") ?? ""
            let name = try Self.name(body, flows)
            flows[flow]["alias"] = .string(name)
            // Whatever leads there goes on to.
            for other in flows.flows.indices {
                let steps = flows.steps(of: other).map { step in
                    var step = step
                    if step.string("flowAlias") == former { step["flowAlias"] = .string(name) }
                    return step
                }
                flows.setSteps(steps, of: other)
            }
        }
        if let text = try body.string("description") {
            flows[flow]["description"] = .string(text)
        }
        try await keep(flows, call)
        return .accepted(flows[flow])
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        let flows = try await flows(call)
        let flow = try Self.byID(call, flows)
        try Self.expectChangeable(flows[flow])
        try await keep(flows, call)
        try await remove(flows[flow], call)
        return .done
    }

    private static func expectChangeable(_ flow: JSONObject) throws {
        guard flow.bool("builtIn") != true else {
            throw AdminRefusal.invalid("A built-in flow is not changed: copy it.")
        }
    }

    private func copy(_ call: AdminCall) async throws -> AdminAnswer {
        let flows = try await flows(call)
        let flow = try Self.byAlias(call, flows)
        let body = try Representation(call.json(), path: "")
        guard let name = try body.text("newName"), PlainText.isLine(name, length: 255) else {
            throw AdminRefusal.invalid("A flow has a name of one line.")
        }
        guard flows.index(ofAlias: name) == nil else {
            throw AdminRefusal.conflict("New flow alias name already exists")
        }
        let copies = flows.copies(
            of: flow,
            named: name,
            most: Self.most,
            random: call.moment.random
        )
        guard let copies, let first = copies.first else {
            throw AdminRefusal.invalid("The realm has too many flows, or one of that name.")
        }
        try await keep(FlowSet(flows.flows + copies), call)
        return .created(path: call.path(first.string("id") ?? ""))
    }

    // MARK: Steps

    private func addStep(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await flows(call)
        let flow = try Self.byAlias(call, flows)
        let body = try Representation(call.json(), path: "")
        guard let provider = try body.text("provider"), PlainText.isLine(provider, length: 255)
        else {
            throw AdminRefusal.invalid("No authentication provider found for id: null")
        }
        let place = try Self.add(provider, isFlow: false, to: flow, of: &flows)
        try await keep(flows, call)
        return .created(
            path:
                "/admin/realms/\(call.realm.name)/authentication/executions/\(flows.id(of: place))"
        )
    }

    private func addFlow(_ call: AdminCall) async throws -> AdminAnswer {
        let kept = try await flows(call)
        let flow = try Self.byAlias(call, kept)
        let body = try Representation(call.json(), path: "")
        var made = try Self.new(body, kind: "type", call, kept)
        made["topLevel"] = false
        var flows = FlowSet(kept.flows + [made])
        _ = try Self.add(made.string("alias") ?? "", isFlow: true, to: flow, of: &flows)
        try await keep(flows, call)
        let id = made.string("id") ?? ""
        return .created(path: "/admin/realms/\(call.realm.name)/\(Self.base)/\(id)")
    }

    private static func add(
        _ name: String,
        isFlow: Bool,
        to flow: Int,
        of flows: inout FlowSet
    ) throws -> FlowSet.Place {
        try expectChangeable(flows[flow])
        guard flows.steps(of: flow).count < most else {
            throw AdminRefusal.invalid("A flow has at most \(most) steps.")
        }
        return flows.add(name, isFlow: isFlow, to: flow)
    }

    private func updateStep(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await flows(call)
        _ = try Self.byAlias(call, flows)
        let body = try Representation(call.json(), path: "")
        guard let place = flows.place(ofStep: try body.text("id") ?? "") else {
            throw AdminRefusal.notFound("Illegal execution")
        }
        var steps = flows.steps(of: place.flow)
        if let requirement = try body.text("requirement") {
            guard Self.requirements.contains(requirement) else {
                throw AdminRefusal.invalid("There is no such requirement.")
            }
            steps[place.step]["requirement"] = .string(requirement)
        }
        if let priority = try body.integer("priority") {
            steps[place.step]["priority"] = .integer(priority)
        }
        flows.setSteps(steps, of: place.flow)
        try await keep(flows, call)
        return .accepted(flows.shown(place))
    }

    private static let requirements: Set = ["REQUIRED", "ALTERNATIVE", "DISABLED", "CONDITIONAL"]

    private func deleteStep(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await flows(call)
        let place = try Self.place(call, flows)
        try Self.expectChangeable(flows[place.flow])
        var steps = flows.steps(of: place.flow)
        let step = steps.remove(at: place.step)
        flows.setSteps(steps, of: place.flow)
        try await keep(flows, call)
        // A flow that only it led to goes with it.
        if let inner = step.string("flowAlias").flatMap(flows.index(ofAlias:)),
            flows[inner].bool("topLevel") == false
        {
            try await remove(flows[inner], call)
        }
        return .done
    }

    private func move(_ call: AdminCall, up isUp: Bool) async throws -> AdminAnswer {
        var flows = try await flows(call)
        let place = try Self.place(call, flows)
        try Self.expectChangeable(flows[place.flow])
        flows.move(place, up: isUp)
        try await keep(flows, call)
        return .done
    }

    // MARK: Settings of steps

    private static let configKind = "authenticatorConfig"

    private var settings: [AdminRow] {
        let one = "authentication/config/{config}"
        return [
            .post("\(Self.step)/config", .manageRealm, createConfig),
            .get(one, .viewRealm) { call in
                .object(try administration.shown(try await config(call)))
            },
            .put(one, .manageRealm) { call in
                let former = try await config(call)
                var config = try Self.config(call, id: former.id)
                // Steps name it.
                config["alias"] = former.document["alias"]
                try await administration.put(config, of: former.kind, id: former.id, call)
                return .done
            },
            .delete(one, .manageRealm) { call in
                try await administration.delete(try await config(call), call)
                return .done
            },
        ]
    }

    private func configs(_ call: AdminCall) async throws -> [RealmPart] {
        try await store.parts(Self.configKind, realmID: call.realmID)
    }

    private func config(_ call: AdminCall) async throws -> RealmPart {
        let id = try call.segment("config")
        guard let config = try await configs(call).first(where: { sameBytes($0.id, id) }) else {
            throw AdminRefusal.notFound("Could not find authenticator config")
        }
        return config
    }

    private static func config(_ call: AdminCall, id: String) throws -> JSONObject {
        let body = try Representation(call.json(), path: "")
        guard let alias = try body.text("alias"), PlainText.isLine(alias, length: 255) else {
            throw AdminRefusal.invalid("Settings have a name of one line.")
        }
        let config = try body.child("config")?.object.withoutEmptyTexts ?? JSONObject()
        return ["id": .string(id), "alias": .string(alias), "config": .object(config)]
    }

    private func createConfig(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await flows(call)
        let place = try Self.place(call, flows)
        let id = UniqueID(random: call.moment.random).text
        let config = try Self.config(call, id: id)
        let kept = try await configs(call)
        guard kept.count < Self.most,
            !kept.contains(where: { $0.document.string("alias") == config.string("alias") })
        else { throw AdminRefusal.conflict("Settings of that name are there, or too many.") }
        var steps = flows.steps(of: place.flow)
        steps[place.step]["authenticatorConfig"] = config["alias"]
        flows.setSteps(steps, of: place.flow)
        try await keep(flows, call)
        try await administration.put(config, of: Self.configKind, id: id, call)
        return .created(path: "/admin/realms/\(call.realm.name)/authentication/config/\(id)")
    }

    // MARK: Keeping

    /// All of them: Keycloak's own are kept with the first that is made, because an export has all or none.
    private func keep(_ flows: FlowSet, _ call: AdminCall) async throws {
        let former = try await demands(try await self.flows(call), call)
        if let refusal = try await demands(flows, call).news(since: former)?.refusal() {
            throw refusal
        }
        let kept = try await kept(call)
        for flow in flows.flows {
            let id = flow.string("id") ?? ""
            let part = kept[ExactText(id)]
            if part.map(FlowSet.flow) == flow { continue }
            var document = flow
            // What came without an id goes on without one.
            if let part { document["id"] = part.document["id"] }
            try await administration.put(document, of: Self.kind, id: part?.id ?? id, call)
        }
    }

    /// By the ids that they are shown with: by others they may be kept (``PartNames``).
    private func kept(_ call: AdminCall) async throws -> [ExactText: RealmPart] {
        let parts = try await store.parts(Self.kind, realmID: call.realmID)
        return Dictionary(
            parts.map { (ExactText(FlowSet.flow($0).string("id") ?? ""), $0) }
        ) { first, _ in first }
    }

    /// Of those that people sign in by.
    private func demands(_ flows: FlowSet, _ call: AdminCall) async throws -> ImportReport {
        let clients = try await store.clients(realmID: call.realmID) {
            $0.kept.object.object(Self.bindings)?.isEmpty == false
        }.map { client -> JSONObject in
            let bound = client.kept.object.object(Self.bindings) ?? JSONObject()
            return ["clientId": .string(client.clientID), Self.bindings: .object(bound)]
        }
        return try FlowDemands(flows).report(
            browserFlow: call.realm.realm.kept.object.string("browserFlow") ?? "browser",
            clients: clients
        )
    }

    private static let bindings = "authenticationFlowBindingOverrides"

    private func remove(_ flow: JSONObject, _ call: AdminCall) async throws {
        guard let part = try await kept(call)[ExactText(flow.string("id") ?? "")] else {
            throw Self.noFlow
        }
        try await administration.delete(part, call)
    }
}

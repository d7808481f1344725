import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/authentication/flows` and the steps in them: kept as data, for programs that name them and for
/// exports. Nothing here runs one: how people sign in is decided elsewhere.
enum AdminFlows {
    static var rows: [AdminRow] { reading + writing + settings }

    private static let base = "authentication/flows"
    private static let step = "authentication/executions/{step}"

    private static var reading: [AdminRow] {
        [
            .get(base, .viewRealm) { call in
                .list(try await call.flows().flows.filter { $0.bool("topLevel") != false })
            },
            .get("\(base)/{flow}", .viewRealm) { call in
                let flows = try await call.flows()
                return .object(flows[try byID(call, flows)])
            },
            .get("\(base)/{flow}/executions", .viewRealm) { call in
                let flows = try await call.flows()
                let configs = Dictionary(
                    try await call.parts(configKind).map {
                        ($0.document.string("alias") ?? "", $0.id)
                    }
                ) { first, _ in first }
                return .list(flows.shown(try byAlias(call, flows), configs: configs))
            },
            .get(step, .viewRealm) { call in
                let flows = try await call.flows()
                return .object(flows.shown(try place(call, flows)))
            },
        ]
            + [
                "authenticator-providers", "client-authenticator-providers", "form-providers",
                "form-action-providers", "unregistered-required-actions",
            ].map { name in AdminRow.get("authentication/\(name)", .viewRealm) { _ in .json([]) } }
    }

    private static var writing: [AdminRow] {
        [
            .post(base, .manageRealm, create),
            .put("\(base)/{flow}", .manageRealm, update),
            .delete("\(base)/{flow}", .manageRealm, delete),
            .post("\(base)/{flow}/copy", .manageRealm, copy),
            .put("\(base)/{flow}/executions", .manageRealm, updateStep),
            .post("\(base)/{flow}/executions/execution", .manageRealm, addStep),
            .post("\(base)/{flow}/executions/flow", .manageRealm, addFlow),
            .delete(step, .manageRealm, deleteStep),
            .post("\(step)/raise-priority", .manageRealm) { try await move($0, up: true) },
            .post("\(step)/lower-priority", .manageRealm) { try await move($0, up: false) },
        ]
    }

    static let kind = "authenticationFlows"
    /// As many as a realm may have, and a flow's steps.
    private static let most = 200
    private static let kinds: Set = ["basic-flow", "client-flow", "form-flow"]

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

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await call.flows()
        let made = try new(try call.representation(.flow), kind: "providerId", call, flows)
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
            "id": .string(call.newID()), "alias": .string(alias),
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

    private static func update(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await call.flows()
        let flow = try byID(call, flows)
        let body = try call.representation(.flow)
        if let alias = try body.text("alias"), alias != flows[flow].string("alias") {
            try expectChangeable(flows[flow])
            let former = flows[flow].string("alias") ?? ""
            let name = try name(body, flows)
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

    private static func delete(_ call: AdminCall) async throws {
        let flows = try await call.flows()
        let flow = try byID(call, flows)
        try expectChangeable(flows[flow])
        try await keep(flows, call)
        try await remove(flows[flow], call)
    }

    private static func expectChangeable(_ flow: JSONObject) throws {
        guard flow.bool("builtIn") != true else {
            throw AdminRefusal.invalid("A built-in flow is not changed: copy it.")
        }
    }

    private static func copy(_ call: AdminCall) async throws -> AdminAnswer {
        let flows = try await call.flows()
        let flow = try byAlias(call, flows)
        let body = try call.object()
        guard let name = try body.text("newName"), PlainText.isLine(name, length: 255) else {
            throw AdminRefusal.invalid("A flow has a name of one line.")
        }
        guard flows.index(ofAlias: name) == nil else {
            throw AdminRefusal.conflict("New flow alias name already exists")
        }
        let copies = flows.copies(
            of: flow,
            named: name,
            most: most,
            random: call.moment.random
        )
        guard let copies, let first = copies.first else {
            throw AdminRefusal.invalid("The realm has too many flows, or one of that name.")
        }
        try await keep(FlowSet(flows.flows + copies), call)
        return .created(path: call.path(first.string("id") ?? ""))
    }

    // MARK: Steps

    private static func addStep(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await call.flows()
        let flow = try byAlias(call, flows)
        let body = try call.object()
        guard let provider = try body.text("provider"), PlainText.isLine(provider, length: 255)
        else {
            throw AdminRefusal.invalid("No authentication provider found for id: null")
        }
        let place = try add(provider, isFlow: false, to: flow, of: &flows)
        try await keep(flows, call)
        return .created(
            path:
                "/admin/realms/\(call.realm.name)/authentication/executions/\(flows.id(of: place))"
        )
    }

    private static func addFlow(_ call: AdminCall) async throws -> AdminAnswer {
        let kept = try await call.flows()
        let flow = try byAlias(call, kept)
        let body = try call.object()
        var made = try new(body, kind: "type", call, kept)
        made["topLevel"] = false
        var flows = FlowSet(kept.flows + [made])
        _ = try add(made.string("alias") ?? "", isFlow: true, to: flow, of: &flows)
        try await keep(flows, call)
        let id = made.string("id") ?? ""
        return .created(path: "/admin/realms/\(call.realm.name)/\(base)/\(id)")
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

    private static func updateStep(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await call.flows()
        _ = try byAlias(call, flows)
        let body = try call.object()
        guard let place = flows.place(ofStep: try body.text("id") ?? "") else {
            throw AdminRefusal.notFound("Illegal execution")
        }
        var steps = flows.steps(of: place.flow)
        if let requirement = try body.text("requirement") {
            guard requirements.contains(requirement) else {
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

    private static func deleteStep(_ call: AdminCall) async throws {
        var flows = try await call.flows()
        let place = try place(call, flows)
        try expectChangeable(flows[place.flow])
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
    }

    private static func move(_ call: AdminCall, up isUp: Bool) async throws {
        var flows = try await call.flows()
        let place = try place(call, flows)
        try expectChangeable(flows[place.flow])
        flows.move(place, up: isUp)
        try await keep(flows, call)
    }

    // MARK: Settings of steps

    private static let configKind = "authenticatorConfig"

    private static var settings: [AdminRow] {
        let one = "authentication/config/{config}"
        return [
            .post("\(step)/config", .manageRealm, createConfig),
            .get(one, .viewRealm) { call in
                .object(try call.shown(try await config(call)))
            },
            .put(one, .manageRealm) { call -> Void in
                let former = try await config(call)
                var changed = try config(call, id: former.id)
                // Steps name it.
                changed["alias"] = former.document["alias"]
                try await call.put(changed, of: former.kind, id: former.id)
            },
            .delete(one, .manageRealm) { call in
                try await call.delete(try await config(call))
            },
        ]
    }

    private static func config(_ call: AdminCall) async throws -> RealmPart {
        try await call.part(
            configKind,
            id: try call.segment("config"),
            or: .notFound("Could not find authenticator config")
        )
    }

    private static func config(_ call: AdminCall, id: String) throws -> JSONObject {
        let body = try call.object()
        guard let alias = try body.text("alias"), PlainText.isLine(alias, length: 255) else {
            throw AdminRefusal.invalid("Settings have a name of one line.")
        }
        let config = try body.child("config")?.object.withoutEmptyTexts ?? JSONObject()
        return ["id": .string(id), "alias": .string(alias), "config": .object(config)]
    }

    private static func createConfig(_ call: AdminCall) async throws -> AdminAnswer {
        var flows = try await call.flows()
        let place = try place(call, flows)
        let id = call.newID()
        let config = try config(call, id: id)
        let kept = try await call.parts(configKind)
        guard kept.count < most,
            !kept.contains(where: { $0.document.string("alias") == config.string("alias") })
        else { throw AdminRefusal.conflict("Settings of that name are there, or too many.") }
        var steps = flows.steps(of: place.flow)
        steps[place.step]["authenticatorConfig"] = config["alias"]
        flows.setSteps(steps, of: place.flow)
        try await keep(flows, call)
        try await call.put(config, of: configKind, id: id)
        return .created(path: "/admin/realms/\(call.realm.name)/authentication/config/\(id)")
    }

    // MARK: Keeping

    /// All of them: Keycloak's own are kept with the first that is made, because an export has all or none.
    private static func keep(_ flows: FlowSet, _ call: AdminCall) async throws {
        let former = try await demands(try await call.flows(), call)
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
            try await call.put(document, of: kind, id: part?.id ?? id)
        }
    }

    /// By the ids that they are shown with: by others they may be kept (``PartNames``).
    private static func kept(_ call: AdminCall) async throws -> [ExactText: RealmPart] {
        let parts = try await call.parts(kind)
        return Dictionary(
            parts.map { (ExactText(FlowSet.flow($0).string("id") ?? ""), $0) }
        ) { first, _ in first }
    }

    /// Of those that people sign in by.
    private static func demands(_ flows: FlowSet, _ call: AdminCall) async throws -> ImportReport {
        let clients = try await call.store.clients(realmID: call.realmID) {
            $0.kept.object.object(bindings)?.isEmpty == false
        }.map { client -> JSONObject in
            let bound = client.kept.object.object(bindings) ?? JSONObject()
            return ["clientId": .string(client.clientID), bindings: .object(bound)]
        }
        return try FlowDemands(flows).report(
            browserFlow: call.realm.kept.object.string("browserFlow") ?? "browser",
            clients: clients
        )
    }

    private static let bindings = "authenticationFlowBindingOverrides"

    private static func remove(_ flow: JSONObject, _ call: AdminCall) async throws {
        guard let part = try await kept(call)[ExactText(flow.string("id") ?? "")] else {
            throw noFlow
        }
        try await call.delete(part)
    }
}

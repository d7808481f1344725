import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Finds the things of a file in a realm that is here: by their ids, else by their names.
///
/// Where the id is that of another thing than the name, or of one that has another name here, no one
/// can tell which is meant: it is left out and named, and what is here stays. So a file renames nothing.
struct FileThings {
    private let existing: ExistingRealm
    /// The file without what is left out.
    private(set) var object: JSONObject
    /// Everything that the file names, what is left out too.
    private(set) var names: Set<ThingName> = []
    /// The same by its ids.
    private(set) var ids: Set<ThingID> = []
    private var left: Set<ThingName> = []

    /// - Parameter file: A realm as a file has it, and nothing added.
    init(_ file: JSONObject, over existing: ExistingRealm, report: inout ImportReport) {
        self.existing = existing
        object = file
        filter("clients", key: "clientId", &report) { .client($0) }
        filter("clientScopes", key: "name", &report) { .scope($0) }
        let providers = IdentityProviderRepresentation.kind
        filter(providers, key: "alias", &report) { .provider($0) }
        know(groups: file["groups"])
        guard var roles = file.object("roles") else { return }
        roles["realm"] = filtered(roles["realm"], key: "name", &report) {
            .role(RoleName(clientID: nil, name: $0))
        }
        if let byClient = roles.object("client") {
            var members: [(name: String, value: JSONValue)] = []
            for (clientID, list) in byClient {
                let kept = filtered(list, key: "name", &report) {
                    .role(RoleName(clientID: clientID, name: $0))
                }
                members.append((clientID, kept ?? list))
            }
            roles["client"] = JSONObject(unique: members).map(JSONValue.object)
        }
        object["roles"] = .object(roles)
    }

    /// Whether the file says what a thing that is here is to be. What it is completed with says nothing.
    func says(_ name: ThingName) -> Bool { names.contains(name) && !left.contains(name) }

    /// Whether something that is here stands in the file, be it left out.
    func has(_ name: ThingName, id: String?) -> Bool {
        names.contains(name) || id.map { ids.contains(ThingID(name.kind, $0)) } == true
    }

    private mutating func filter(
        _ member: String,
        key: String,
        _ report: inout ImportReport,
        _ name: (String) -> ThingName
    ) {
        object[member] = filtered(object[member], key: key, &report, name)
    }

    /// What is no list of objects is left as it is: reading it says what is wrong.
    private mutating func filtered(
        _ list: JSONValue?,
        key: String,
        _ report: inout ImportReport,
        _ name: (String) -> ThingName
    ) -> JSONValue? {
        guard let elements = list?.array else { return list }
        var kept: [JSONValue] = []
        for element in elements {
            guard let text = element.object?.string(key) else {
                kept.append(element)
                continue
            }
            let name = name(text)
            let id = element.object?.string("id") ?? element.object?.string("internalId")
            know(name, id)
            if existing.leavesOut(id, name, name.subject, report: &report) {
                left.insert(name)
            } else {
                kept.append(element)
            }
        }
        return .array(kept)
    }

    private mutating func know(_ name: ThingName, _ id: String?) {
        names.insert(name)
        if let id, !id.isEmpty { ids.insert(ThingID(name.kind, id)) }
    }

    /// Where they stand is known only when they are read (``GroupImport``).
    private mutating func know(groups: JSONValue?) {
        var lists = [groups]
        while let list = lists.popLast() {
            for group in (list?.array ?? []).compactMap(\.object) {
                if let id = group.string("id") { ids.insert(ThingID(.group, id)) }
                lists.append(group["subGroups"])
            }
        }
    }
}

extension ExistingRealm {
    /// Whether a thing of a file is left out, because its id is here under another name.
    func leavesOut(
        _ id: String?,
        _ name: ThingName,
        _ subject: String,
        report: inout ImportReport
    ) -> Bool {
        guard let id, !id.isEmpty, let here = names[ThingID(name.kind, id)], here != name else {
            return false
        }
        let words: StaticString =
            "left out: its id is here under another name or in another group, and stays as it is"
        report.add(.skipped, subject, "\(words)")
        return true
    }
}

package import PorticoProtocol

extension ClientScope {
    /// Id, realm, name and whether it is limited stand in columns of their own, the rest in the document.
    init(id: String, realmID: String, name: String, document: JSONObject) throws {
        let document = Document(document)
        self.init(id: id, realmID: realmID, name: name)
        description = try document.optional("description", \.string)
        mappers = try document.list("mappers", ClaimMapper.init(value:)) ?? []
        isShown = try document.required("shown", \.bool)
        isAskedFor = try document.required("asked_for", \.bool)
        isOffered = try document.required("offered", \.bool)
        kept = try document.optional("kept") { $0.string.map(KeptRepresentation.init(json:)) }
    }

    /// What is kept besides the columns.
    package var document: JSONObject {
        var document: JSONObject = [
            "mappers": .array(mappers.map(\.value)), "shown": .bool(isShown),
            "asked_for": .bool(isAskedFor), "offered": .bool(isOffered),
        ]
        document["description"] = description.map(JSONValue.string)
        document["kept"] = kept.map { .string($0.json) }
        return document
    }
}

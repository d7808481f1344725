import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// A mapper as a request of the administration describes it (Keycloak
/// `ProtocolMapperRepresentation`).
enum MapperFields {
    /// - Returns: The mapper with an id.
    /// - Throws: ``MapperRefusal``
    static func registrable(_ value: JSONValue, at moment: Moment) throws
        -> (json: JSONObject, mapper: ClaimMapper)
    {
        let representation = try Representation(value, path: "")
        try RepresentationMembers.mapper.check(representation)
        var json = representation.object
        guard let name = try representation.text("name"), PlainText.isLine(name, length: 255) else {
            throw MapperRefusal.invalid("A mapper has a name of one line.")
        }
        if try representation.text("protocol") == nil { json["protocol"] = "openid-connect" }
        let id = try representation.text("id").flatMap(UniqueID.init)
        json["id"] = .string((id ?? UniqueID(random: moment.random)).text)
        if json["consentRequired"] == nil { json["consentRequired"] = false }
        let config = try representation.child("config")?.object.withoutEmptyTexts
        json["config"] = config.map(JSONValue.object)
        for (name, setting) in config ?? JSONObject() {
            guard name.utf8.count <= 200, setting.string.map({ $0.utf8.count <= 4096 }) ?? true
            else { throw MapperRefusal.invalid("A setting of a mapper is too long.") }
        }
        guard json.string("protocolMapper")?.utf8.starts(with: "oidc-".utf8) == true,
            let mapper = try ClaimMapper(Representation(.object(json), path: ""))
        else { throw MapperRefusal.unknownType }
        if let words = mapper.whyNotEvaluated { throw MapperRefusal.invalid(words) }
        return (json, mapper)
    }
}

/// Why a mapper is not added.
package enum MapperRefusal: Error, Sendable {
    /// Its owner has one of that name.
    case isTaken
    /// Nothing here evaluates one of its type.
    case unknownType
    case invalid(String)
}

extension AdminRefusal {
    init(_ refusal: MapperRefusal) {
        self =
            switch refusal {
            case .isTaken: .conflict("Protocol mapper exists with same name")
            case .unknownType: .notFound("ProtocolMapper provider not found")
            case .invalid(let words): .invalid(words)
            }
    }
}

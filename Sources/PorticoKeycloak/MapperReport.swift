import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Says which of Keycloak's mappers write nothing here. All are kept.
struct MapperReport {
    /// - Parameter owner: A client or a client scope.
    static func add(_ owner: Representation, _ subject: String, report: inout ImportReport)
        throws(RealmImportError)
    {
        for mapper in try owner.children("protocolMappers") {
            let name = try mapper.text("name") ?? ""
            guard try mapper.text("protocol") ?? "openid-connect" == "openid-connect" else {
                continue
            }
            var config: [String: String] = [:]
            if let settings = try mapper.child("config") {
                for (key, _) in settings.object { config[key] = try settings.text(key) }
            }
            let record = ProtocolMapperRecord(
                id: try mapper.text("id") ?? "",
                name: name,
                kind: try mapper.text("protocolMapper") ?? "",
                config: config
            )
            guard let words = record.whyNotEvaluated else { continue }
            report.add(.skipped, subject, "mapper \(name)", "writes nothing: \(words)")
        }
    }
}

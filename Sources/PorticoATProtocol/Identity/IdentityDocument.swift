import PorticoBytes
import PorticoProtocol

/// What an account's DID document says of it (W3C DID §5; AT Protocol, DIDs).
struct IdentityDocument: Hashable, Sendable {
    /// The first handle that it names. It may be another's: the handle has to name the DID, too.
    let handle: Handle?
    let host: ServerOrigin?

    /// In bytes.
    static let longest = 64 * 1024

    /// - Parameter did: Whose document it has to be.
    /// - Throws: `documentInvalid`, `invalidHost`.
    init(parsing document: [UInt8], of did: DID, _ rules: IdentityRules)
        throws(IdentityError)
    {
        let json: JSONObject
        do {
            json = try JSONObject(
                parsing: document,
                limits: .foreign(size: Self.longest, depth: 16)
            )
        } catch {
            throw .documentInvalid
        }
        guard let id = json.string("id"), sameBytes(id, did.text) else { throw .documentInvalid }
        handle = Self.handle(in: json.array("alsoKnownAs") ?? [], rules)
        host = try Self.host(in: json.array("service") ?? [], of: did, rules)
    }

    private static func handle(in names: [JSONValue], _ rules: IdentityRules) -> Handle? {
        for name in names {
            guard let text = name.string?.dropping("at://") else { continue }
            // `try?`: one that is no handle is passed over.
            if let handle = try? Handle(text, rules) { return handle }
        }
        return nil
    }

    /// The endpoint of the first service that is a host of accounts.
    private static func host(in services: [JSONValue], of did: DID, _ rules: IdentityRules)
        throws(IdentityError) -> ServerOrigin?
    {
        guard services.count <= 100 else { throw .documentInvalid }
        for service in services.compactMap({ $0.object }) {
            guard let id = service.string("id"),
                sameBytes(id, "#atproto_pds") || sameBytes(id, "\(did.text)#atproto_pds"),
                let type = service.string("type"), sameBytes(type, "AtprotoPersonalDataServer")
            else { continue }
            guard let endpoint = service.string("serviceEndpoint") else { throw .invalidHost }
            do {
                return try ServerOrigin(endpoint, rules)
            } catch {
                throw .invalidHost
            }
        }
        return nil
    }
}

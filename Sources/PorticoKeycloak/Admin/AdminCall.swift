import HTTPTypes
import NIOCore
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoWeb

/// A request to the administration whose sender is known and has the right that its row asks for.
struct AdminCall: Sendable {
    let context: AdminContext
    let bearer: Bearer
    let realm: LiveRealm
    /// What they may see. Operations judge what they may change.
    let rights: AdminRights
    let access: AdminAccess
    /// The id that exports and answers give the realm.
    let containerID: String

    /// - Returns: `nil` where the token is of another realm.
    init?(context: AdminContext, bearer: Bearer, realm: LiveRealm, access: AdminAccess) {
        guard let rights = access.rights(of: bearer, in: realm, context) else { return nil }
        self.context = context
        self.bearer = bearer
        self.realm = realm
        self.rights = rights
        self.access = access
        containerID = RealmRepresentation(realm.realm).id
    }

    /// What they may see of another realm; `nil`: nothing.
    func rights(in realm: LiveRealm) -> AdminRights? {
        access.rights(of: bearer, in: realm, context).flatMap {
            $0.administrator.hasRights ? $0 : nil
        }
    }

    var administrator: Administrator { rights.administrator }

    /// The same request, of the realm as it is by now.
    var again: AdminCall {
        access.realms.kept(named: realm.name).flatMap {
            AdminCall(context: context, bearer: bearer, realm: $0, access: access)
        } ?? self
    }

    var moment: Moment { context.moment }
    var realmID: String { realm.id }

    /// A part of the path, decoded.
    func segment(_ name: String) throws -> String {
        guard let text = RequestTarget.decoded(context.parameters[name]) else {
            throw AdminRefusal.noSuchAddress
        }
        return text
    }

    /// Whether the address has that part.
    func has(_ name: String) -> Bool { !context.parameters[name].isEmpty }

    func query() throws -> FormParameters {
        do {
            return try FormParameters(query: context.target)
        } catch {
            throw AdminRefusal.invalid("The query is not form-encoded.")
        }
    }

    /// `first` and `max` of the query: how many are passed over, and how many are wanted.
    func page(_ query: FormParameters) throws -> (first: Int, max: Int) {
        (
            try Self.number(query["first"], all: 0) ?? 0,
            min(
                try Self.number(query["max"], all: Self.longestPage) ?? Self.usualPage,
                Self.longestPage
            )
        )
    }

    static let usualPage = 100
    /// The most that one answer lists.
    static let longestPage = 1000

    private static func number(_ text: String?, all: Int) throws -> Int? {
        guard let text else { return nil }
        // A negative number means all there: as many as one answer lists.
        if text.utf8.first == UInt8(ascii: "-") { return all }
        guard let number = Int(digits: text.utf8, atMost: 10), number <= Int32.max else {
            throw AdminRefusal.noSuchAddress
        }
        return number
    }

    /// The body, one JSON text.
    func json() throws -> JSONValue {
        guard MediaType.isJSON(context.headers) else { throw AdminRefusal.unsupportedMediaType }
        do {
            let body = context.request.received.body.readableBytesView
            // RFC 8259 §8.1: a byte order mark may be passed over.
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let limits = JSONLimits.foreign(size: body.count, depth: RealmImport.limits.depth)
            return try JSONValue(
                parsing: body.starts(with: mark) ? body.dropFirst(mark.count) : body,
                limits: limits.keepingDigits
            )
        } catch {
            throw AdminRefusal.unreadable
        }
    }

    /// The body, one object of a kind whose members are known.
    func representation(_ kind: RepresentationMembers) throws -> Representation {
        let representation = try Representation(json(), path: "")
        try kind.check(representation)
        return representation
    }

    /// The body, an array of objects: the roles of a mapping.
    func representations() throws -> [Representation] {
        guard let values = try json().array else { throw AdminRefusal.unreadable }
        return try values.enumerated().map { try Representation($1, path: "[\($0)]") }
    }

    /// The body, an array of texts.
    func texts() throws -> [String] {
        guard let texts = try json().strings else { throw AdminRefusal.unreadable }
        return texts
    }

    /// The body, which is no JSON: one text.
    ///
    /// - Parameter length: The most bytes.
    func text(upTo length: Int) throws -> String {
        guard MediaType.isText(context.headers) else { throw AdminRefusal.unsupportedMediaType }
        let body = context.request.received.body.readableBytesView
        guard body.count <= length, let text = ForeignText.decoded(Array(body)) else {
            throw AdminRefusal.unreadable
        }
        return text
    }

    /// The path of the address, with a part after it.
    func path(_ last: String) -> String {
        var path = Array(context.path.utf8)
        path.append(UInt8(ascii: "/"))
        FormEncoding.appendPercentEncoded(last.utf8, to: &path)
        return String(decoding: path, as: UTF8.self)
    }

    func expect(_ condition: Bool) throws(AdminRefusal) {
        guard condition else { throw .forbidden }
    }
}

/// The media type of a body.
enum MediaType {
    static func isJSON(_ headers: HTTPFields) -> Bool { isType("application/json", headers) }

    static func isText(_ headers: HTTPFields) -> Bool { isType("text/plain", headers) }

    private static func isType(_ wanted: String, _ headers: HTTPFields) -> Bool {
        let types = headers[values: .contentType]
        guard types.count == 1, headers[.contentEncoding] == nil else { return false }
        let type = types[0].prefix { $0 != ";" }
        return type.utf8.count <= 100 && String(type).trimmingBlanks.lowercased() == wanted
    }
}

import HTTPTypes
import PorticoBytes
import PorticoProtocol

extension XRPCMethods {
    /// `com.atproto.server.describeServer`
    var server: JSONObject {
        let name = HTTPAddress(host.baseURL)?.host ?? ""
        return [
            "did": .string("did:web:\(name)"),
            "availableUserDomains": [.string(".\(ATHost.domain)")],
            "inviteCodeRequired": false,
            "blobUploadLimit": .integer(Int64(host.longestBlob)),
            "links": .object([:]), "contact": .object([:]),
        ]
    }

    /// `com.atproto.identity.resolveHandle`
    func resolveHandle(_ query: FormParameters) throws(XRPCError) -> JSONObject {
        let place = "Invalid com.atproto.identity.resolveHandle params"
        guard let handle = query["handle"] else {
            throw .invalid("\(place): Missing required key \"handle\"")
        }
        do {
            _ = try HostName(handle, allowsTest: true)
        } catch {
            throw .invalid("\(place): Invalid handle")
        }
        guard let person = host.person(handle: handle.lowercased()) else {
            throw XRPCError(
                status: .badRequest,
                error: "HandleNotFound",
                message: "Unable to resolve handle"
            )
        }
        return ["did": .string(person.did)]
    }

    /// `com.atproto.server.getSession`
    func session(_ access: ATHostAccess) -> JSONObject {
        var session: JSONObject = [
            "did": .string(access.person.did), "handle": .string(access.person.handle),
            "active": true,
        ]
        guard access.scope.permitsEmail else { return session }
        session["email"] = .string(access.person.email)
        session["emailConfirmed"] = true
        return session
    }
}

extension Scope {
    fileprivate var permitsEmail: Bool {
        tokens.contains { token in
            switch ATScope(token) {
            case .transitionEmail, .account(.email, _): true
            default: false
            }
        }
    }
}

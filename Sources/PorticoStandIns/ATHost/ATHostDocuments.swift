import HTTPTypes
import PorticoProtocol
import PorticoWeb

/// Who an account is (AT Protocol, Identity): the directory of DIDs, and the sites of handles.
struct ATHostDocuments: Sendable {
    let host: ATHost
    let headers: SecurityHeaders

    /// `/did:plc:…`
    func identity(_ context: RequestContext) async -> Response {
        await host.answer(.directory, context.received, headers) { identity(context, $0) }
    }

    private func identity(_ context: RequestContext, _ faults: ATHostFaults) -> Response {
        let did = String(context.target.path.dropFirst())
        guard let person = host.person(did: did), !faults.gone.contains(.did) else {
            return Response(
                json: ["message": .string("DID not registered: \(did)")],
                status: .notFound,
                headers: headers
            )
        }
        let document: JSONObject = [
            "@context": ["https://www.w3.org/ns/did/v1"],
            "id": .string(person.did),
            "alsoKnownAs": [.string("at://\(person.handle)")],
            "verificationMethod": [],
            "service": [
                [
                    "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": .string(person.movedTo ?? host.baseURL),
                ]
            ],
        ]
        return Response(json: .object(document), headers: headers)
            .typed("application/did+ld+json; charset=utf-8")
    }

    /// `/.well-known/atproto-did`, under the name of the handle.
    func handle(_ context: RequestContext) async -> Response {
        await host.answer(.handle, context.received, headers) { handle(context, $0) }
    }

    private func handle(_ context: RequestContext, _ faults: ATHostFaults) -> Response {
        let person = LocalRequestGuard.host(of: context.received).flatMap(host.person(handle:))
        guard let person, !faults.gone.contains(.handle) else {
            return Response(
                status: .notFound,
                headers: headers.plain,
                bytes: Array("User not found".utf8)
            ).typed("text/plain; charset=utf-8")
        }
        return Response(status: .ok, headers: headers.plain, bytes: Array(person.did.utf8))
            .typed("text/plain; charset=utf-8")
    }
}

extension Response {
    fileprivate func typed(_ type: String) -> Response {
        var response = self
        response.headers[.contentType] = type
        return response
    }
}

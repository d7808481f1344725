import HTTPTypes
import NIOCore
package import PorticoProtocol
import PorticoWeb

/// The body of a program's request: JSON or a form, as flat texts.
///
/// Simple cross-site forms cannot use JSON endpoints (WEB-CSRF-4): any other type is 415.
package struct BodyParameters: Sendable {
    private let object: JSONObject

    package init(_ context: SignInContext, upTo maximum: Int = 64 * 1024) throws(ServiceError) {
        let type = context.headers[values: .contentType].first?.lowercased() ?? ""
        if type.hasPrefix("application/x-www-form-urlencoded") {
            var object = JSONObject()
            for (name, value) in try context.form(upTo: maximum).all {
                object[name] = .string(value)
            }
            self.object = object
            return
        }
        guard type == "application/json" || type.hasPrefix("application/json;") else {
            throw ServiceError(.unsupportedMediaType, "Send application/json, or a form.")
        }
        let body = context.request.received.body
        guard body.readableBytes <= maximum else {
            throw ServiceError(.tooLarge, "The body is larger than this address takes.")
        }
        do {
            object = try JSONObject(
                parsing: body.readableBytesView,
                limits: .foreign(size: maximum)
            )
        } catch {
            throw ServiceError(.invalidRequest, "The body is not a JSON object.")
        }
    }

    /// A text that is present and not empty.
    package func optional(_ name: StaticString) throws(ServiceError) -> String? {
        switch object["\(name)"] {
        case nil, .null?: return nil
        case .string(let text)?: return text.isEmpty ? nil : text
        default: throw ServiceError(.invalidRequest, parameter: name, "is not a text.")
        }
    }

    package func required(_ name: StaticString) throws(ServiceError) -> String {
        guard let value = try optional(name) else {
            throw ServiceError(.missingParameter, parameter: name, "is missing.")
        }
        return value
    }

    /// A member in any form: native apps send Apple's `user` as an object.
    package func member(_ name: String) -> JSONValue? { object[name] }
}

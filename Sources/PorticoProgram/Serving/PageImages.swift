import HTTPTypes
import Hummingbird
import PorticoPages
import PorticoWeb

/// Serves the logo and the marks of providers: `/assets/logo`, `/assets/brand/apple`.
struct PageImages: Sendable {
    private let images: [String: PageImage]

    init(_ images: [String: PageImage]) {
        self.images = images
    }

    static let logo = "/assets/logo"

    static func mark(of kind: WayLabel.Kind) -> String { "/assets/brand/\(kind.rawValue)" }

    var isEmpty: Bool { images.isEmpty }

    func has(_ kind: WayLabel.Kind) -> Bool { images[Self.mark(of: kind)] != nil }

    /// The answer at the address of an image, or `nil` where there is none.
    func respond(to arrival: Arrival, headers: SecurityHeaders) -> Answered? {
        guard let image = images[arrival.target.path] else { return nil }
        guard [.get, .head].contains(arrival.request.method) else {
            return Answered(Response(methodNotAllowedBut: [.get], headers: headers))
        }
        var fields = headers.plain
        // The address stays when the image changes: it is asked for again after an hour.
        fields[.cacheControl] = "public, max-age=3600"
        fields[.eTag] = image.tag
        // RFC 9110 §13.1.2: any of those that the browser has.
        let known: [Substring] = arrival.request.headers[values: .ifNoneMatch]
            .joined(separator: ",").split(separator: ",")
            .map { part in part.drop { $0 == " " } }
        if known.contains(where: { $0 == image.tag || $0 == "W/" + image.tag || $0 == "*" }) {
            return Answered(Response(status: .notModified, headers: fields))
        }
        fields[.contentType] = image.kind.rawValue
        // Somebody may open an SVG by itself: then it runs no script of ours or its own.
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
        return Answered(
            Response(status: .ok, headers: fields, body: ResponseBody(bytes: image.bytes))
        )
    }
}

import Foundation
package import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// A browser as far as sign-ins across two sites need one: a jar of cookies for each host, links,
/// forms, redirects that it follows. It keeps `SameSite=Lax` as browsers do: on a post from another
/// site such cookies stay at home.
package final class TestVisitor: Sendable {
    package let server: BackendUnderTest
    private let jars = Locked<[String: Jar]>([:])
    package let address: String
    private let userAgent: String
    private let languages: String?

    /// - Parameter languages: `Accept-Language`; none by default.
    package init(
        _ server: BackendUnderTest,
        from address: String = "192.0.2.1",
        userAgent: String =
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        speaking languages: String? = nil
    ) {
        self.languages = languages
        self.server = server
        self.address = address
        self.userAgent = userAgent
    }

    /// A page, with the address it was found at.
    package struct Visited: Sendable {
        package let url: String
        package let reply: Reply

        package var path: String {
            let rest = url.drop { $0 != ":" }.dropFirst(3)
            return String(rest.drop { $0 != "/" }.prefix { $0 != "#" })
        }
    }

    /// Our own cookies, by name.
    package var cookies: [String: String] {
        get { jars.withLock { $0[BackendUnderTest.host]?.values ?? [:] } }
        set {
            jars.withLock {
                var jar = Jar()
                let former = $0[BackendUnderTest.host]?.names ?? []
                for name in former + newValue.keys.sorted() { jar[name] = newValue[name] }
                $0[BackendUnderTest.host] = jar
            }
        }
    }

    /// A host's cookies in the order in which they were made, as browsers send them (RFC 6265 §5.4).
    private struct Jar {
        var names: [String] = []
        var values: [String: String] = [:]

        subscript(name: String) -> String? {
            get { values[name] }
            set {
                if newValue == nil { names.removeAll { $0 == name } }
                if newValue != nil, values[name] == nil { names.append(name) }
                values[name] = newValue
            }
        }

        var text: String {
            names.map { "\($0)=\(values[$0] ?? "")" }.joined(separator: "; ")
        }
    }

    /// Opens an address, and follows redirects between the sites that there are. It stops where a
    /// redirect leads elsewhere: to an app.
    package func open(
        _ url: String,
        method: HTTPRequest.Method = .get,
        form: [(String, String)] = [],
        from origin: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Visited {
        var url = absolute(url, from: "https://\(BackendUnderTest.host)/")
        var method = method
        var form = form
        for _ in 0..<20 {
            let reply = try await request(url, method, form, from: origin, headers)
            guard (300..<400).contains(reply.status), let location = reply.location else {
                return Visited(url: url, reply: reply)
            }
            // RFC 9110 §10.2.2: a redirect without a fragment inherits that of its own address.
            let fragment = location.contains("#") ? "" : String(url.drop { $0 != "#" })
            let next = absolute(location, from: url) + fragment
            guard host(of: next).map({ server.doors[$0] != nil }) == true else {
                return Visited(url: url, reply: reply)
            }
            url = next
            method = .get
            form = []
        }
        throw TooManyRedirects()
    }

    struct TooManyRedirects: Error {}

    /// One request, its redirect not followed.
    package func request(
        _ url: String,
        _ method: HTTPRequest.Method = .get,
        _ form: [(String, String)] = [],
        from origin: String? = nil,
        _ headers: HTTPFields = [:]
    ) async throws -> Reply {
        let url = absolute(url, from: "https://\(BackendUnderTest.host)/")
        guard let host = host(of: url), let door = server.doors[host] else { throw NoSuchHost() }
        var fields = headers
        fields[.userAgent] = userAgent
        if let languages { fields[.acceptLanguage] = languages }
        if fields[.accept] == nil { fields[.accept] = "text/html,application/xhtml+xml" }
        let isForeign = origin.map { self.host(of: $0) != host } ?? false
        if let name = HTTPField.Name("Sec-Fetch-Site") {
            fields[name] = origin == nil ? "none" : isForeign ? "cross-site" : "same-origin"
        }
        let jar = jars.withLock { $0[host] ?? Jar() }
        if !jar.names.isEmpty, fields[.cookie] == nil, !(isForeign && method == .post) {
            fields[.cookie] = jar.text
        }
        if host == BackendUnderTest.host {
            if let name = HTTPField.Name("X-Forwarded-For") { fields[name] = address }
            if let name = HTTPField.Name("X-Forwarded-Proto") { fields[name] = "https" }
        }
        var body: [UInt8] = []
        if method == .post {
            fields[.contentType] = "application/x-www-form-urlencoded"
            body = FormEncoding.encode(form.map { (name: $0.0, value: $0.1) })
        }
        let path = String(url.dropFirst(url.prefix { $0 != ":" }.count + 3).drop { $0 != "/" })
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: host,
            path: path.isEmpty ? "/" : String(path.prefix { $0 != "#" }),
            headerFields: fields
        )
        let reply = try await door.send(head, body: body)
        keep(reply, host)
        return reply
    }

    struct NoSuchHost: Error {}

    /// Sends a page's form with its hidden fields and `fields`, which may name another form's action
    /// by the text of one of its buttons.
    package func submit(
        _ page: Visited,
        _ fields: [(String, String)],
        form wanted: Int = 0
    ) async throws -> Visited {
        let forms = HTMLForm.all(in: page.reply.text)
        guard forms.indices.contains(wanted) else { throw NoForm() }
        let form = forms[wanted]
        let named = Set(fields.map(\.0))
        let all = form.hidden.filter { !named.contains($0.0) } + fields
        let target = absolute(form.action, from: page.url)
        guard form.isPost else {
            let query = FormEncoding.appending(
                all.map { (name: $0.0, value: $0.1) },
                to: target
            )
            return try await open(query, from: page.url)
        }
        return try await open(target, method: .post, form: all, from: page.url)
    }

    struct NoForm: Error {}

    private func keep(_ reply: Reply, _ host: String) {
        for header in reply.headers[values: .setCookie] {
            let pair = header.prefix { $0 != ";" }
            guard let equals = pair.firstIndex(of: "=") else { continue }
            let name = String(pair[..<equals])
            let value = String(pair[pair.index(after: equals)...])
            jars.withLock {
                $0[host, default: Jar()][name] = header.contains("Max-Age=0") ? nil : value
            }
        }
    }

    private func host(of url: String) -> String? {
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else { return nil }
        let rest = url.drop { $0 != ":" }.dropFirst(3)
        return String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    private func absolute(_ location: String, from url: String) -> String {
        guard location.hasPrefix("/") else { return location }
        let scheme = url.prefix { $0 != ":" }
        return "\(scheme)://\(host(of: url) ?? "")\(location)"
    }
}

/// A form of a page, as far as a test sends it.
package struct HTMLForm: Sendable {
    package let action: String
    package let isPost: Bool
    package let hidden: [(String, String)]
    /// Its submit buttons: name, value, `formaction`.
    package let buttons: [(name: String, value: String, action: String?)]

    package static func all(in html: String) -> [HTMLForm] {
        html.components(separatedBy: "<form").dropFirst().map { part in
            let text = part.components(separatedBy: "</form>")[0]
            let tag = String(text.prefix { $0 != ">" })
            return HTMLForm(
                action: attribute("action", tag) ?? "",
                isPost: attribute("method", tag)?.lowercased() == "post",
                hidden: tags("input", text).compactMap { input in
                    guard attribute("type", input) == "hidden",
                        let name = attribute("name", input)
                    else { return nil }
                    return (name, attribute("value", input) ?? "")
                },
                buttons: tags("button", text).map {
                    (
                        attribute("name", $0) ?? "", attribute("value", $0) ?? "",
                        attribute("formaction", $0)
                    )
                }
            )
        }
    }

    private static func tags(_ name: String, _ text: String) -> [String] {
        text.components(separatedBy: "<\(name) ").dropFirst().map {
            String($0.prefix { $0 != ">" })
        }
    }

    private static func attribute(_ name: String, _ tag: String) -> String? {
        guard let start = (" " + tag).range(of: " \(name)=\"") else { return nil }
        let text = String((" " + tag)[start.upperBound...].prefix { $0 != "\"" })
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}

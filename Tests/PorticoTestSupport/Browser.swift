package import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol

/// A real browser over WebDriver (W3C WebDriver 2). Who started its driver ends that.
package final class Browser: Sendable {
    package let kind: BrowserKind
    private let session: URL
    private static let transport = OutboundClient()

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// The driver's own word for it (W3C WebDriver 2 §6.6), where it is the driver's.
        fileprivate var error: String?

        init(description: String) {
            self.description = description
        }
    }

    private init(kind: BrowserKind, session: URL) {
        self.kind = kind
        self.session = session
    }

    /// Runs `body` with a browser of its own, and always ends it: an abandoned session is an
    /// orphaned process.
    package static func use<Result>(
        _ kind: BrowserKind = .chromium,
        scripts: Bool = true,
        cookies: Bool = true,
        _ body: (Browser) async throws -> Result
    ) async throws -> Result {
        let browser = try await start(kind, scripts: scripts, cookies: cookies)
        do {
            let result = try await body(browser)
            try await browser.end()
            return result
        } catch {
            try? await browser.end()  // the test's error says more
            throw error
        }
    }

    package static func start(
        _ kind: BrowserKind,
        scripts: Bool,
        cookies: Bool = true
    ) async throws -> Browser {
        guard let driver = kind.driver else {
            throw Failure(description: "\(kind.variable) is not set")
        }
        let capabilities: JSONObject = [
            "capabilities": [
                "alwaysMatch": .object(kind.capabilities(scripts: scripts, cookies: cookies))
            ]
        ]
        let answer = try await send("POST", driver.appending(path: "session"), capabilities)
        guard let id = answer.object?.string("sessionId") else {
            throw Failure(description: "no session")
        }
        return Browser(kind: kind, session: driver.appending(path: "session/\(id)"))
    }

    package func end() async throws {
        _ = try await Self.send("DELETE", session, nil)
    }

    package func open(_ address: String) async throws {
        try await post("url", ["url": .string(address)])
    }

    package func goBack() async throws {
        try await post("back", [:])
    }

    package func address() async throws -> String {
        try await get("url").string ?? ""
    }

    package func title() async throws -> String {
        try await get("title").string ?? ""
    }

    package func source() async throws -> String {
        try await get("source").string ?? ""
    }

    /// Waits for the page whose title is as said.
    package func waitForTitle(_ isRight: (String) -> Bool) async throws {
        for _ in 0..<1500 {
            if isRight(try await title()) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(description: "the title stays \(try await title())")
    }

    package func type(_ text: String, into selector: String) async throws {
        let element = try await find(selector)
        try await post("element/\(element)/clear", [:])
        try await post("element/\(element)/value", ["text": .string(text)])
    }

    /// Presses what the selector finds: with a finger where the screen is touched.
    package func click(_ selector: String) async throws {
        let element = try await find(selector)
        if kind == .phone {
            try await tap(element)
        } else {
            try await post("element/\(element)/click", [:])
        }
    }

    /// Presses twice, with so many milliseconds between, whatever the first press has begun.
    package func clickTwice(_ selector: String, apart: Int) async throws {
        let origin: JSONValue = [Self.elementKey: .string(try await find(selector))]
        let press: [JSONValue] = [
            ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0],
        ]
        let place: JSONValue = [
            "type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0,
        ]
        let pause: JSONValue = ["type": "pause", "duration": .integer(Int64(apart))]
        try await post(
            "actions",
            [
                "actions": [
                    [
                        "type": "pointer", "id": "mouse",
                        "parameters": ["pointerType": "mouse"],
                        "actions": .array([place] + press + [pause] + press),
                    ]
                ]
            ]
        )
    }

    /// A finger on the element's middle, wherever that is then: what lies over it gets the touch.
    private func tap(_ element: String) async throws {
        let origin: JSONValue = [Self.elementKey: .string(element)]
        try await run("arguments[0].scrollIntoView({block: 'center'})", [origin])
        let strokes: [JSONValue] = [
            ["type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0],
            ["type": "pointerDown", "button": 0],
            ["type": "pointerUp", "button": 0],
        ]
        try await post(
            "actions",
            [
                "actions": [
                    [
                        "type": "pointer", "id": "finger",
                        "parameters": ["pointerType": "touch"], "actions": .array(strokes),
                    ]
                ]
            ]
        )
    }

    package func text(_ selector: String) async throws -> String {
        try await get("element/\(try await find(selector))/text").string ?? ""
    }

    /// A PNG of what is seen, written where a person can look at it.
    package func screenshot(to file: URL) async throws {
        let text = try await get("screenshot").string ?? ""
        guard let image = Data(base64Encoded: text) else { throw Failure(description: "no image") }
        try image.write(to: file)
    }

    private func find(_ selector: String) async throws -> String {
        let body: JSONObject = ["using": "css selector", "value": .string(selector)]
        let answer = try await post("element", body)
        guard let element = answer.object?.string(Self.elementKey) else {
            throw Failure(description: "nothing on the page is \(selector)")
        }
        return element
    }

    /// What an element is called in JSON (W3C WebDriver 2 §11).
    private static let elementKey = "element-6066-11e4-a52e-4f735466cecf"

    func get(_ path: String) async throws -> JSONValue {
        try await command("GET", path, nil)
    }

    @discardableResult
    func post(_ path: String, _ body: JSONObject) async throws -> JSONValue {
        try await command("POST", path, body)
    }

    func delete(_ path: String) async throws {
        _ = try await command("DELETE", path, nil)
    }

    /// WebKit has no main frame for a moment while one page takes another's place. Its driver says so
    /// before it does anything, or while it looks for an element, so the same command is sent again;
    /// no test goes into another frame. An element of the page before stays gone, by another error.
    private func command(_ method: String, _ path: String, _ body: JSONObject?) async throws
        -> JSONValue
    {
        for _ in 0..<250 {
            do {
                return try await Self.send(method, session.appending(path: path), body)
            } catch let failure as Failure
                where failure.error == "no such frame" && kind == .webkit
            {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return try await Self.send(method, session.appending(path: path), body)
    }

    private static func send(_ method: String, _ url: URL, _ body: JSONObject?) async throws
        -> JSONValue
    {
        guard let method = HTTPRequest.Method(method), let address = HTTPAddress(url.absoluteString)
        else { throw Failure(description: "no address of a driver: \(url)") }
        var request = HTTPRequest(method, to: address)
        if body != nil { request.headerFields[.contentType] = "application/json; charset=utf-8" }
        let size = 64 * 1024 * 1024
        // Not URLSession: it fails on the driver's header fields, which have no blank after the colon.
        let reply = try await transport.send(
            request,
            body: body?.serialized() ?? [],
            limits: HTTPLimits(bytes: size, seconds: 120)
        )
        let answer = try JSONObject(parsing: reply.body, limits: JSONLimits(size: size))
        let value = answer["value"] ?? .null
        if let error = value.object?.string("error") {
            var failure = Failure(
                description: error + ": " + (value.object?.string("message") ?? "")
            )
            failure.error = error
            throw failure
        }
        return value
    }
}

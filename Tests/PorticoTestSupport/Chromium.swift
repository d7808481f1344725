import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1
import PorticoBytes
import PorticoProtocol

/// A real headless Chromium over WebDriver (W3C WebDriver 2). The driver's address stands in
/// `TEST_WEBDRIVER`; who started the driver ends it.
package final class Chromium: Sendable {
    private let session: URL

    /// Where a driver listens, if one does.
    package static let driver = ProcessInfo.processInfo.environment["TEST_WEBDRIVER"]
        .flatMap { URL(string: $0) }

    /// What a test says that needs one.
    package static let isThere = driver != nil

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private init(session: URL) {
        self.session = session
    }

    /// Runs `body` with a browser of its own, and always ends it: an abandoned session is an
    /// orphaned Chromium.
    package static func use<Result>(
        scripts: Bool = true,
        _ body: (Chromium) async throws -> Result
    ) async throws -> Result {
        guard let driver else { throw Failure(description: "TEST_WEBDRIVER is not set") }
        let arguments: [JSONValue] = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--no-proxy-server",
            "--window-size=1280,900",
        ]
        var options: JSONObject = ["args": .array(arguments)]
        if !scripts {
            options["prefs"] = ["profile.managed_default_content_settings.javascript": 2]
        }
        let capabilities: JSONObject = [
            "capabilities": ["alwaysMatch": ["goog:chromeOptions": .object(options)]]
        ]
        let answer = try await send("POST", driver.appending(path: "session"), capabilities)
        guard let id = answer.object?.string("sessionId") else {
            throw Failure(description: "no session")
        }
        let browser = Chromium(session: driver.appending(path: "session/\(id)"))
        do {
            let result = try await body(browser)
            _ = try await send("DELETE", browser.session, nil)
            return result
        } catch {
            _ = try? await send("DELETE", browser.session, nil)  // the test's error says more
            throw error
        }
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

    package func click(_ selector: String) async throws {
        try await post("element/\(try await find(selector))/click", [:])
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
        guard let element = answer.object?.string("element-6066-11e4-a52e-4f735466cecf") else {
            throw Failure(description: "nothing on the page is \(selector)")
        }
        return element
    }

    func get(_ path: String) async throws -> JSONValue {
        try await Self.send("GET", session.appending(path: path), nil)
    }

    @discardableResult
    func post(_ path: String, _ body: JSONObject) async throws -> JSONValue {
        try await Self.send("POST", session.appending(path: path), body)
    }

    func delete(_ path: String) async throws {
        _ = try await Self.send("DELETE", session.appending(path: path), nil)
    }

    private static func send(_ method: String, _ url: URL, _ body: JSONObject?) async throws
        -> JSONValue
    {
        // Not URLSession: it fails on the driver's header fields, which have no blank after the colon.
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = .RAW(value: method)
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
            request.body = .bytes(body.serialized())
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        let buffer = try await response.body.collect(upTo: 64 * 1024 * 1024)
        let bytes = Array(buffer.readableBytesView)
        let limits = JSONLimits(size: 64 * 1024 * 1024)
        let answer = try JSONObject(parsing: bytes, limits: limits)
        let value = answer["value"] ?? .null
        if let error = value.object?.string("error") {
            throw Failure(description: error + ": " + (value.object?.string("message") ?? ""))
        }
        return value
    }
}

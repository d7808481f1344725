package import PorticoProtocol

extension Chromium {
    package static let tab = "\u{E004}"
    package static let enter = "\u{E007}"

    /// Types on the keyboard, into whatever has the focus.
    package func press(_ keys: String) async throws {
        let strokes = keys.flatMap { key in
            ["keyDown", "keyUp"].map { kind -> JSONValue in
                .object(["type": .string(kind), "value": .string(String(key))])
            }
        }
        try await post(
            "actions",
            ["actions": [["type": "key", "id": "keyboard", "actions": .array(strokes)]]]
        )
    }

    /// The first line of what has the focus.
    package func focused() async throws -> String {
        try await run("return document.activeElement.innerText.split('\\n')[0]").string ?? ""
    }

    /// A form as it stands on a page, to be sent later.
    package struct Form: Sendable {
        fileprivate let action: String
        fileprivate let fields: JSONValue
    }

    /// The page's first form with its hidden fields.
    package func form() async throws -> Form {
        let found = try await run(
            """
            const form = document.forms[0];
            const hidden = [...form.querySelectorAll('input[type=hidden]')];
            // form.action is the button of that name, where there is one.
            const action = new URL(form.getAttribute('action'), location).href;
            return {action, fields: hidden.map(field => [field.name, field.value])};
            """
        )
        guard let action = found.object?.string("action"), let fields = found.object?["fields"]
        else { throw Failure(description: "no form") }
        return Form(action: action, fields: fields)
    }

    /// Sends a form from the page that is open, as it would be sent from its own page.
    package func send(_ form: Form, _ fields: [String: String]) async throws {
        let given = fields.map { JSONValue.array([.string($0.key), .string($0.value)]) }
        try await run(
            """
            const form = document.createElement('form');
            form.method = 'post';
            form.action = arguments[0];
            for (const [name, value] of [...arguments[1], ...arguments[2]]) {
                const field = document.createElement('input');
                field.type = 'hidden';
                [field.name, field.value] = [name, value];
                form.append(field);
            }
            document.body.append(form);
            form.submit();
            """,
            [.string(form.action), form.fields, .array(given)]
        )
    }

    /// Shows the pages as on a screen of this width, in CSS pixels, which may be narrower than any
    /// window; in the dark scheme; without motion.
    package func look(width: Int64, isDark: Bool) async throws {
        let scheme: JSONValue = isDark ? "dark" : "light"
        try await command(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(width), "height": 800, "deviceScaleFactor": 1, "mobile": true,
            ]
        )
        try await command(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": scheme],
                    ["name": "prefers-reduced-motion", "value": "reduce"],
                ]
            ]
        )
    }

    /// A command of the Chrome DevTools Protocol.
    private func command(_ name: String, _ parameters: JSONObject) async throws {
        try await post("goog/cdp/execute", ["cmd": .string(name), "params": .object(parameters)])
    }

    // MARK: Cookies

    /// Those of the page that is open, as they can be set again.
    package func cookies() async throws -> [JSONObject] {
        try await get("cookie").array?.compactMap(\.object) ?? []
    }

    /// Sets a cookie for the page that is open.
    package func set(_ cookie: JSONObject) async throws {
        try await post("cookie", ["cookie": .object(cookie)])
    }

    /// Deletes those of the page that is open.
    package func forgetCookies() async throws {
        try await delete("cookie")
    }

    /// Runs a script that calls its last argument with the result.
    package func runAsynchronously(_ script: String) async throws -> JSONValue {
        try await post("execute/async", ["script": .string(script), "args": []])
    }

    /// Runs a script for the test, whether or not the page may have one.
    @discardableResult
    package func run(_ script: String, _ arguments: [JSONValue] = []) async throws -> JSONValue {
        try await post("execute/sync", ["script": .string(script), "args": .array(arguments)])
    }
}

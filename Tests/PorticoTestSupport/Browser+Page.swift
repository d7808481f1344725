package import PorticoProtocol

extension Browser {
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

    /// Waits until what the selector finds has the focus: a page's `autofocus` is obeyed with
    /// its first frame, which may come after the page is loaded.
    package func waitForFocus(_ selector: String) async throws {
        let ask = "return document.activeElement.matches(arguments[0])"
        for _ in 0..<1500 {
            if try await run(ask, [.string(selector)]).bool == true { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(description: "\(selector) does not get the focus")
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
    package func runAsynchronously(_ script: String, _ arguments: [JSONValue] = []) async throws
        -> JSONValue
    {
        try await post("execute/async", ["script": .string(script), "args": .array(arguments)])
    }

    /// Runs a script for the test, whether or not the page may have one.
    @discardableResult
    package func run(_ script: String, _ arguments: [JSONValue] = []) async throws -> JSONValue {
        try await post("execute/sync", ["script": .string(script), "args": .array(arguments)])
    }
}

import PorticoProtocol

extension Browser {
    package static let space = " "

    /// Something on a page as a screen reader is told of it.
    package struct AccessibleNode: Hashable, Sendable, CustomStringConvertible {
        package let role: String
        package let name: String

        package init(_ role: String, _ name: String) {
            self.role = role
            self.name = name
        }

        package var description: String { "\(role) “\(name)”" }
    }

    /// Everything that Chromium tells assistive programs of the open page, in the order in which it
    /// is heard.
    package func accessibilityTree() async throws -> [AccessibleNode] {
        let tree = try await command("Accessibility.getFullAXTree", [:])
        let nodes = (tree.object?.array("nodes") ?? []).compactMap(\.object)
        var byID: [String: JSONObject] = [:]
        for node in nodes { byID[node.string("nodeId") ?? ""] = node }
        var heard: [AccessibleNode] = []
        var waiting = nodes.prefix(1).compactMap { $0.string("nodeId") }
        while let id = waiting.popLast(), let node = byID.removeValue(forKey: id) {
            if node.bool("ignored") != true, let role = node.object("role")?.string("value") {
                heard.append(AccessibleNode(role, node.object("name")?.string("value") ?? ""))
            }
            waiting += (node.strings("childIds") ?? []).reversed()
        }
        return heard
    }

    /// What can be operated with the keyboard: what it is called, in a word or two.
    package func focusedName() async throws -> String {
        try await run(
            """
            const element = document.activeElement;
            if (!element || element === document.body) { return ''; }
            return element.id || element.innerText.split('\\n')[0];
            """
        ).string ?? ""
    }

    /// Presses Tab until what has that name has the focus; names are ids of fields, or texts.
    package func tab(to name: String) async throws {
        var passed: [String] = []
        for _ in 0..<40 {
            try await press(Self.tab)
            let focused = try await focusedName()
            if focused == name { return }
            passed.append(focused)
        }
        throw Failure(description: "Tab never comes to \(name), only to \(passed)")
    }
}

import PorticoProtocol

extension Browser {
    package struct Tab: Hashable, Sendable {
        fileprivate let handle: String
    }

    /// The one that is shown.
    package func tab() async throws -> Tab {
        Tab(handle: try await get("window").string ?? "")
    }

    /// Opens one more, and shows it.
    @discardableResult
    package func openTab() async throws -> Tab {
        let opened = try await post("window/new", ["type": "tab"])
        let tab = Tab(handle: opened.object?.string("handle") ?? "")
        try await show(tab)
        return tab
    }

    /// One that is not shown, or not the given one.
    package func otherTab(than tab: Tab? = nil) async throws -> Tab? {
        let shown = if let tab { tab } else { try await self.tab() }
        let all = try await get("window/handles").strings ?? []
        return all.first { $0 != shown.handle }.map { Tab(handle: $0) }
    }

    package func show(_ tab: Tab) async throws {
        try await post("window", ["handle": .string(tab.handle)])
    }

    package func closeOtherTabs() async throws {
        let shown = try await tab()
        for handle in try await get("window/handles").strings ?? [] where handle != shown.handle {
            try await show(Tab(handle: handle))
            try await delete("window")
        }
        try await show(shown)
    }

    package func reload() async throws {
        try await post("refresh", [:])
    }
}

package import PorticoProtocol

/// What only Chromium does, by its own protocol for developers.
extension Browser {
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
    @discardableResult
    package func command(_ name: String, _ parameters: JSONObject) async throws
        -> JSONValue
    {
        try await post("goog/cdp/execute", ["cmd": .string(name), "params": .object(parameters)])
    }
}

import PorticoProtocol

/// What Chromium keeps and what it calls itself, by its own protocol for developers.
extension Browser {
    /// A cookie as the browser understood it.
    package struct KeptCookie: Sendable {
        package let name: String
        package let isHTTPOnly: Bool
        /// `Strict`, `Lax`, `None`; `nil` where the server said nothing.
        package let sameSite: String?
        /// Seconds until it goes; `nil` where it goes with the browser.
        package let life: Double?
    }

    /// What the browser would send to an address, whichever page is open.
    package func keptCookies(at address: String) async throws -> [KeptCookie] {
        let answer = try await command("Network.getCookies", ["urls": [.string(address)]])
        let now = try await run("return Date.now() / 1000").seconds ?? 0
        return (answer.object?.array("cookies") ?? []).compactMap(\.object).map { cookie in
            let expires = cookie["expires"]?.seconds ?? -1
            return KeptCookie(
                name: cookie.string("name") ?? "",
                isHTTPOnly: cookie.bool("httpOnly") ?? false,
                sameSite: cookie.string("sameSite"),
                life: expires < 0 ? nil : expires - now
            )
        }
    }

    /// As if its time had come.
    package func forget(_ cookie: KeptCookie, at address: String) async throws {
        try await command(
            "Network.deleteCookies",
            ["name": .string(cookie.name), "url": .string(address)]
        )
    }

    /// Sends another `User-Agent` from now on.
    package func callItself(_ userAgent: String) async throws {
        try await command("Network.setUserAgentOverride", ["userAgent": .string(userAgent)])
    }
}

extension JSONValue {
    fileprivate var seconds: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

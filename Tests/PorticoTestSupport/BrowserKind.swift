package import Foundation
import PorticoProtocol

/// The browsers that the tests drive, each in a way of its own engine.
package enum BrowserKind: String, CaseIterable, Sendable {
    case chromium
    /// Chromium as a phone shows it: 360 by 740 CSS pixels, under a finger.
    case phone
    /// Firefox ESR.
    case firefox
    /// WebKitGTK's own small browser.
    case webkit

    /// The environment variable with the driver's address.
    package var variable: String {
        switch self {
        case .chromium, .phone: "TEST_WEBDRIVER"
        case .firefox: "TEST_FIREFOX"
        case .webkit: "TEST_WEBKIT"
        }
    }

    /// Where a driver listens, if one does.
    package var driver: URL? {
        ProcessInfo.processInfo.environment[variable].flatMap { URL(string: $0) }
    }

    package var isThere: Bool { driver != nil }

    /// - Parameters:
    ///   - scripts: Whether pages may run scripts; those of the tests always run.
    ///   - cookies: Whether it keeps any; all but Chromium do.
    func capabilities(scripts: Bool, cookies: Bool = true) -> JSONObject {
        switch self {
        case .chromium:
            ["timeouts": Self.time, "goog:chromeOptions": .object(Self.chromium(scripts, cookies))]
        case .phone:
            ["timeouts": Self.time, "goog:chromeOptions": .object(Self.phone(scripts))]
        case .firefox:
            [
                "timeouts": Self.patience,
                "moz:firefoxOptions": [
                    "prefs": scripts ? [:] : ["javascript.enabled": false]
                ],
            ]
        case .webkit:
            [
                "timeouts": Self.patience,
                "webkitgtk:browserOptions": [
                    "binary": .string(Self.miniBrowser),
                    "args": scripts
                        ? ["--automation"] : ["--automation", "--enable-javascript=FALSE"],
                ],
            ]
        }
    }

    /// These two look for an element at once, Chromium when the page has loaded.
    private static let patience: JSONValue = ["implicit": 5000]
    /// A script of axe may take more than WebDriver's 30 seconds where the machine is busy.
    private static let time: JSONValue = ["script": 120_000]

    private static func chromium(_ scripts: Bool, _ cookies: Bool = true) -> JSONObject {
        let arguments: [JSONValue] = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--no-proxy-server",
            "--window-size=1280,900",
        ]
        let settings = "profile.managed_default_content_settings"
        var preferences: JSONObject = [:]
        if !scripts { preferences["\(settings).javascript"] = 2 }
        if !cookies { preferences["\(settings).cookies"] = 2 }
        return ["args": .array(arguments), "prefs": .object(preferences)]
    }

    private static func phone(_ scripts: Bool) -> JSONObject {
        var options = chromium(scripts)
        options["mobileEmulation"] = [
            "deviceMetrics": [
                "width": 360, "height": 740, "pixelRatio": 3, "mobile": true, "touch": true,
            ]
        ]
        return options
    }

    /// WebKitGTK's browser, which is not on PATH.
    private static let miniBrowser =
        ProcessInfo.processInfo.environment["TEST_WEBKIT_BROWSER"] ?? "MiniBrowser"
}

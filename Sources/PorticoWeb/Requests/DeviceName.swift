import PorticoBytes

/// The name of a browser or app in the list of devices: a few words that a person recognises, such
/// as "Firefox · Linux". Only a hint.
package enum DeviceName {
    /// - Parameter userAgent: As received (RFC 9110 §10.1.5).
    package static func of(_ userAgent: String?, app: String? = nil) -> String {
        let agent = String((userAgent ?? "").prefix(500))
        let system = systems.first { agent.hasBytes($0.mark) }?.name
        // Order matters: all of them contain Mozilla, most contain Safari.
        let program = app ?? browsers.first { agent.hasBytes($0.mark) }?.name
        switch (program, system) {
        case (let program?, let system?): return "\(program) · \(system)"
        case (let program?, nil): return program
        case (nil, let system?): return system
        case (nil, nil): return ""
        }
    }

    private static let systems: [(mark: StaticString, name: String)] = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
        ("Windows", "Windows"), ("Mac OS X", "Mac"), ("Macintosh", "Mac"), ("Linux", "Linux"),
    ]

    private static let browsers: [(mark: StaticString, name: String)] = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"),
        ("Firefox", "Firefox"), ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"),
        ("Epiphany", "GNOME Web"), ("Safari", "Safari"), ("curl", "curl"),
    ]
}

import PorticoBytes
import PorticoPages

/// A web view in another app, where Google refuses sign-in (PRV-G-11, RFC 8252 §8.12).
enum EmbeddedBrowser {
    /// - Parameter userAgent: As received. A web view that does not identify itself cannot be
    ///   detected.
    static func isOne(_ userAgent: String?) -> Bool {
        guard let userAgent else { return false }
        return marks.contains(where: userAgent.hasBytes)
    }

    /// The system that the instructions are for.
    static func platform(_ userAgent: String?) -> OpenInBrowserPage.Platform {
        let agent = userAgent ?? ""
        if agent.hasBytes("iPhone") || agent.hasBytes("iPad") { return .ios }
        return agent.hasBytes("Android") ? .android : .other
    }

    private static let marks: [StaticString] = [
        "; wv)", "FBAN/", "FBAV/", "Instagram", "LinkedInApp", "Line/", "MicroMessenger",
        "Snapchat", "TikTok", "musical_ly", "Twitter for", "GSA/",
    ]
}

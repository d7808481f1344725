/// A colour that a vendor prescribes for its button: outside what a theme can set, and used only where
/// the vendor's mark is there too.
enum BrandColour: String, CaseIterable, Sendable {
    case apple
    case onApple = "on-apple"
    case google
    case onGoogle = "on-google"
    case googleEdge = "google-edge"
    case facebook
    case onFacebook = "on-facebook"

    var value: (light: String, dark: String) {
        switch self {
        case .apple: ("#000000", "#ffffff")
        case .onApple: ("#ffffff", "#000000")
        case .google: ("#ffffff", "#131314")
        case .onGoogle: ("#1f1f1f", "#e3e3e3")
        case .googleEdge: ("#747775", "#8e918f")
        // Not #1877F2, on which white text is too faint (4.23 to 1).
        case .facebook: ("#0866ff", "#0866ff")
        case .onFacebook: ("#ffffff", "#ffffff")
        }
    }
}

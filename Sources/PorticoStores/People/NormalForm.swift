import CUTF8Proc
import PorticoSystem

/// A Unicode normalization form (Unicode Standard Annex 15), computed by utf8proc.
package enum NormalForm {
    /// Canonical composition.
    case nfc
    /// Compatibility composition.
    case nfkc

    private var options: utf8proc_option_t {
        let composed = utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
        return switch self {
        case .nfc: composed
        case .nfkc: utf8proc_option_t(composed.rawValue | UTF8PROC_COMPAT.rawValue)
        }
    }

    /// The longest text that is normalised, in bytes: a run of combining characters takes the square
    /// of its length.
    package static let longest = 1024

    /// - Returns: `nil` for a text that is longer than ``longest``.
    package func callAsFunction(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest else { return nil }
        var normal: UnsafeMutablePointer<UInt8>?
        let length = utf8proc_map(bytes, bytes.count, &normal, options)
        defer { free(normal) }
        // Of valid UTF-8 there is always one, unless the system has no memory left.
        guard length >= 0, let normal else { return nil }
        return String(decoding: UnsafeBufferPointer(start: normal, count: length), as: UTF8.self)
    }
}

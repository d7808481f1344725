/// What people type as a code.
enum CodeText {
    /// Without the blanks and hyphens that make it easier to read.
    ///
    /// Small letters become capital ones.
    ///
    /// - Returns: `nil` where it has no code's length.
    static func compact(_ typed: String) -> String? {
        guard typed.utf8.count <= 64 else { return nil }
        let kept = typed.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "-"): nil
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            default: byte
            }
        }
        return kept.isEmpty ? nil : String(decoding: kept, as: UTF8.self)
    }
}

/// Which form of a word goes with a number (Unicode CLDR, plural rules for whole numbers).
enum Plural: Sendable, Equatable {
    case zero, one, two, few, many, other

    /// English and German: one, and everything else.
    init(germanic number: Int) {
        self = number == 1 ? .one : .other
    }

    /// Arabic has six forms.
    init(arabic number: Int) {
        switch (number, number.magnitude % 100) {
        case (0, _): self = .zero
        case (1, _): self = .one
        case (2, _): self = .two
        case (_, 3...10): self = .few
        case (_, 11...99): self = .many
        default: self = .other
        }
    }
}

/// A noun with its Arabic forms, counted.
struct ArabicNoun: Sendable {
    /// With the article of none, such as "بلا".
    let zero: String
    let one: String
    let two: String
    /// After 3 to 10.
    let few: String
    /// After 11 to 99.
    let many: String
    /// After whole hundreds.
    let other: String

    func callAsFunction(_ number: Int) -> String {
        switch Plural(arabic: number) {
        case .zero: zero
        case .one: one
        case .two: two
        case .few: "\(number) \(few)"
        case .many: "\(number) \(many)"
        case .other: "\(number) \(other)"
        }
    }
}

/// Which form of a word goes with a number (Unicode CLDR, plural rules for whole numbers).
enum Plural: Sendable, Equatable {
    case zero, one, two, few, many, other

    /// Whether it stands for one number only, in the languages that the pages have.
    var isOneNumber: Bool {
        switch self {
        case .zero, .one, .two: true
        case .few, .many, .other: false
        }
    }
}

extension Language {
    /// The forms that its file has of each text with a number.
    var plurals: [Plural] {
        switch self {
        case .english, .german: [.one, .other]
        case .arabic: [.zero, .one, .two, .few, .many, .other]
        }
    }

    func plural(_ number: Int) -> Plural {
        switch self {
        case .english, .german: number == 1 ? .one : .other
        case .arabic:
            switch (number, number.magnitude % 100) {
            case (0, _): .zero
            case (1, _): .one
            case (2, _): .two
            case (_, 3...10): .few
            case (_, 11...99): .many
            default: .other
            }
        }
    }
}

/// A sentence of ours with names from outside in it.
///
/// `"Sign in to \(name: client)"` keeps the name apart from the words, so that the template can put it
/// into `<bdi>`: a name in another writing direction then leaves the sentence as it is.
package struct Phrase: Sendable, Equatable, ExpressibleByStringInterpolation {
    package struct Piece: Sendable, Equatable {
        /// Words of ours.
        package let text: String
        /// The name that follows them.
        package let isolated: ShownText?
    }

    package let pieces: [Piece]

    /// The sentence without markup, for the title.
    package var plain: String {
        pieces.map { $0.text + ($0.isolated?.text ?? "") }.joined()
    }

    package init(stringLiteral value: String) {
        pieces = [Piece(text: value, isolated: nil)]
    }

    package init(stringInterpolation: StringInterpolation) {
        var pieces = stringInterpolation.pieces
        if !stringInterpolation.text.isEmpty {
            pieces.append(Piece(text: stringInterpolation.text, isolated: nil))
        }
        self.pieces = pieces
    }

    /// For sentences that are longer than a line of source.
    package static func + (start: Phrase, end: Phrase) -> Phrase {
        Phrase(pieces: start.pieces + end.pieces)
    }

    private init(pieces: [Piece]) {
        self.pieces = pieces
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// - Parameter name: Text from outside.
        package mutating func appendInterpolation(name: String) {
            pieces.append(Piece(text: text, isolated: ShownText(name)))
            text = ""
        }

        /// - Parameter ours: Words from the same catalogue.
        package mutating func appendInterpolation(ours: String) {
            text += ours
        }
    }
}

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
        /// The address or code that follows them: read from left to right in every language.
        package let exact: ShownText?
    }

    package let pieces: [Piece]

    /// The sentence without markup, for the title.
    package var plain: String {
        pieces.map { $0.text + ($0.isolated?.text ?? $0.exact?.text ?? "") }.joined()
    }

    package init(stringLiteral value: String) {
        pieces = [Piece(text: value, isolated: nil, exact: nil)]
    }

    /// - Parameter ours: Words of ours, without a name in them.
    init(_ ours: String) {
        self.init(stringLiteral: ours)
    }

    package init(stringInterpolation: StringInterpolation) {
        var pieces = stringInterpolation.pieces
        if !stringInterpolation.text.isEmpty {
            pieces.append(Piece(text: stringInterpolation.text, isolated: nil, exact: nil))
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
        package mutating func appendInterpolation(name: String, limit: Int = 120) {
            pieces.append(Piece(text: text, isolated: ShownText(name, limit: limit), exact: nil))
            text = ""
        }

        /// - Parameter exact: An address, code or host from outside.
        package mutating func appendInterpolation(exact: String) {
            pieces.append(Piece(text: text, isolated: nil, exact: ShownText(exact, limit: 2_000)))
            text = ""
        }

        /// - Parameter phrase: A sentence, or part of one, from the same catalogue.
        package mutating func appendInterpolation(_ phrase: Phrase) {
            if let first = phrase.pieces.first {
                pieces.append(
                    Piece(text: text + first.text, isolated: first.isolated, exact: first.exact)
                )
                pieces += phrase.pieces.dropFirst()
                text = ""
            }
        }

        /// - Parameter ours: Words from the same catalogue.
        package mutating func appendInterpolation(ours: String) {
            text += ours
        }
    }
}

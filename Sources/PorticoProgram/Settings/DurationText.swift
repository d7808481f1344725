import ArgumentParser

/// A duration as it is typed: `90s`, `3m`, `12h`, `7d`, or several of these, `4m59s`.
struct DurationText: ExpressibleByArgument, Hashable, Sendable {
    let seconds: Int64

    init(seconds: Int64) {
        self.seconds = seconds
    }

    init?(argument: String) {
        guard (2...40).contains(argument.utf8.count) else { return nil }
        let units: [(letter: UInt8, seconds: Int64)] = [
            (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3600), (UInt8(ascii: "m"), 60),
            (UInt8(ascii: "s"), 1),
        ]
        // The larger one first, each once: 1h30m.
        var left = units[...]
        var rest = argument.utf8[...]
        var sum: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            guard let number = Int64(String(Substring(digits))), number <= 100_000_000,
                let letter = rest.popFirst(),
                let place = left.firstIndex(where: { $0.letter == letter })
            else { return nil }
            sum += number * left[place].seconds
            left = left[(place + 1)...]
        }
        guard sum > 0 else { return nil }
        seconds = sum
    }

    /// As it is typed: `4m59s`.
    var text: String {
        let parts = [
            (seconds / 86_400, "d"), (seconds % 86_400 / 3600, "h"), (seconds % 3600 / 60, "m"),
            (seconds % 60, "s"),
        ].filter { $0.0 > 0 }
        return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined()
    }

    var defaultValueDescription: String {
        seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
    }
}

import ArgumentParser

/// A duration as it is typed: `90s`, `3m`, `12h`, `7d`.
struct DurationText: ExpressibleByArgument, Hashable, Sendable {
    let seconds: Int64

    init(seconds: Int64) {
        self.seconds = seconds
    }

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let last = argument.last, let unit = units[last],
            let number = Int64(argument.dropLast()), (1...100_000_000).contains(number)
        else { return nil }
        seconds = number * unit
    }

    var defaultValueDescription: String {
        seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
    }
}

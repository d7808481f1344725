/// A time to wait as a person would say it: up to a minute and a half in seconds, then in minutes,
/// rounded up.
enum Wait: Sendable, Equatable {
    case seconds(Int)
    case minutes(Int)

    init(seconds: Int) {
        if seconds <= 90 {
            self = .seconds(max(1, seconds))
        } else {
            let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
            self = .minutes(rest == 0 ? minutes : minutes + 1)
        }
    }
}

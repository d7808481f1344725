import PorticoGallery
import PorticoPages
import PorticoSystem

/// Renders every page in every state and language, and prints what the dearest ten cost: processor
/// time of this thread, the least of five rounds.
@main struct PageCost {
    private struct Cost {
        let name: String
        let bytes: Int
        let microseconds: Double
    }

    static func main() throws {
        let renderer = try PageRenderer()
        let frame = PageFrame(realm: "Example", reference: "0123456789abcdef")
        var costs: [Cost] = []
        for page in PageGallery.pages {
            for state in page.gallery {
                for language in Language.allCases {
                    let name = "\(page), \(state.name), \(language.rawValue)"
                    let render = { renderer.bytes(state.page, in: language, frame: frame).count }
                    costs.append(
                        Cost(name: name, bytes: render(), microseconds: microseconds(render))
                    )
                }
            }
        }
        costs.sort { $0.microseconds > $1.microseconds }
        let mean = costs.map(\.microseconds).reduce(0, +) / Double(costs.count)
        let over = costs.count { $0.microseconds >= 150 }
        print("\(costs.count) pages: \(tenths(mean)) us each on average; \(over) take 150 or more.")
        for cost in costs.prefix(10) {
            print("  \(tenths(cost.microseconds)) us, \(cost.bytes) bytes: \(cost.name)")
        }
    }

    private static func microseconds(_ render: () -> Int) -> Double {
        (0..<5).map { _ in
            let start = now()
            var bytes = 0
            for _ in 0..<50 { bytes &+= render() }
            precondition(bytes > 0)
            return Double(now() - start) / 50_000
        }.min() ?? 0
    }

    /// Nanoseconds.
    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// A QR code (ISO/IEC 18004, model 2) of a text in bytes, with error correction level M: what a camera
/// reads even if a seventh of it cannot be seen.
package struct QRCode: Sendable, Equatable {
    /// Modules at a side, without the quiet zone around them.
    package let size: Int
    private let version: Int
    /// Row by row; `true` is dark.
    private var modules: [Bool]
    /// Those that hold no data.
    private var isFunction: [Bool]

    /// Of versions 1 to 20, for level M (table 9): error correction codewords in a block, and blocks.
    private static let correction: [(codewords: Int, blocks: Int)] = [
        (10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5), (26, 5),
        (30, 5), (22, 8), (22, 9), (24, 9), (24, 10), (28, 10), (28, 11), (26, 13), (26, 14),
        (26, 16),
    ]

    /// - Parameter mask: One of the eight patterns; `nil`: the one that is read best (§7.8).
    /// - Returns: `nil` for a text of more than 666 bytes or so.
    package init?(_ text: String, mask: Int? = nil) {
        let bytes = Array(text.utf8)
        let found = (1...Self.correction.count).first { version in
            Self.dataCodewords(version) * 8 >= 4 + Self.countBits(version) + bytes.count * 8
        }
        guard let found else { return nil }
        version = found
        size = 17 + 4 * found
        modules = Array(repeating: false, count: size * size)
        isFunction = modules
        drawPatterns()
        draw(Self.interleaved(Self.data(bytes, found), found))
        let plain = self
        let masks = mask.map { [$0 & 7] } ?? Array(0..<8)
        let candidates = masks.map { plain.masked($0) }
        if let best = candidates.min(by: { $0.penalty < $1.penalty }) { modules = best.modules }
    }

    /// Whether a module is dark.
    package func isDark(_ x: Int, _ y: Int) -> Bool { modules[y * size + x] }

    // MARK: Data (§7.4, §7.5)

    private static func rawCodewords(_ version: Int) -> Int {
        var modules = (16 * version + 128) * version + 64
        if version >= 2 {
            let patterns = version / 7 + 2
            modules -= (25 * patterns - 10) * patterns - 55
            if version >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    private static func dataCodewords(_ version: Int) -> Int {
        let (codewords, blocks) = correction[version - 1]
        return rawCodewords(version) - codewords * blocks
    }

    private static func countBits(_ version: Int) -> Int { version < 10 ? 8 : 16 }

    private static func data(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for place in (0..<count).reversed() { bits.append(value >> place & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, countBits(version))
        for byte in bytes { append(Int(byte), 8) }
        let capacity = dataCodewords(version)
        append(0, min(4, capacity * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var codewords = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var pad: UInt8 = 0xEC
        while codewords.count < capacity {
            codewords.append(pad)
            pad ^= 0xEC ^ 0x11
        }
        return codewords
    }

    /// The codewords in blocks, each with its error correction, in the order in which they are drawn (§7.6).
    private static func interleaved(_ data: [UInt8], _ version: Int) -> [UInt8] {
        let (length, count) = correction[version - 1]
        let generator = ReedSolomon.generator(length)
        let short = data.count / count
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for number in 0..<count {
            let end = start + short + (number >= count - data.count % count ? 1 : 0)
            blocks.append(data[start..<end])
            start = end
        }
        let checks = blocks.map { ReedSolomon.remainder(of: $0, by: generator) }
        var result: [UInt8] = []
        for place in 0...short {
            for block in blocks where place < block.count {
                result.append(block[block.startIndex + place])
            }
        }
        for place in 0..<length { for check in checks { result.append(check[place]) } }
        return result
    }

    // MARK: Drawing (§6.3, §7.7, §7.9, §7.10)

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        modules[y * size + x] = isDark
        isFunction[y * size + x] = true
    }

    private mutating func drawPatterns() {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
        let places = alignmentPlaces
        for x in places {
            for y in places {
                let isFinder =
                    (x == 6 && y == 6) || (x == 6 && y == size - 7) || (x == size - 7 && y == 6)
                if !isFinder { drawAlignment(x, y) }
            }
        }
        drawFormat(mask: 0)
        drawVersion()
    }

    private mutating func drawFinder(_ x: Int, _ y: Int) {
        for dy in -4...4 {
            for dx in -4...4 where 0..<size ~= x + dx && 0..<size ~= y + dy {
                let distance = max(abs(dx), abs(dy))
                set(x + dx, y + dy, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment(_ x: Int, _ y: Int) {
        for dy in -2...2 {
            for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
        }
    }

    /// Annex E.
    private var alignmentPlaces: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
    }

    private mutating func drawFormat(mask: Int) {
        // Level M is 00.
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
        for place in 0...5 { set(8, place, bit(place)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for place in 9..<15 { set(14 - place, 8, bit(place)) }
        for place in 0..<8 { set(size - 1 - place, 8, bit(place)) }
        for place in 8..<15 { set(8, size - 15 + place, bit(place)) }
        set(8, size - 8, true)
    }

    private mutating func drawVersion() {
        guard version >= 7 else { return }
        var rest = version
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version << 12 | rest
        for place in 0..<18 {
            let (near, far) = (place / 3, size - 11 + place % 3)
            set(near, far, bits >> place & 1 == 1)
            set(far, near, bits >> place & 1 == 1)
        }
    }

    /// In columns of two, from the lower right corner, up and down in turn.
    private mutating func draw(_ codewords: [UInt8]) {
        var next = 0
        for right in Self.columns(size) {
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !isFunction[y * size + x] {
                    guard next < codewords.count * 8 else { continue }
                    modules[y * size + x] = codewords[next / 8] >> (7 - UInt8(next % 8)) & 1 == 1
                    next += 1
                }
            }
        }
    }

    /// The right one of each pair; the column of the timing pattern is none.
    private static func columns(_ size: Int) -> [Int] {
        Array(stride(from: size - 1, to: 6, by: -2)) + Array(stride(from: 5, to: 0, by: -2))
    }

    private func masked(_ mask: Int) -> QRCode {
        var code = self
        for y in 0..<size {
            for x in 0..<size where !isFunction[y * size + x] && Self.isInverted(mask, x, y) {
                code.modules[y * size + x].toggle()
            }
        }
        code.drawFormat(mask: mask)
        return code
    }

    private static func isInverted(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// How hard it is to read: long runs, blocks, what looks like a finder, too much of one colour.
    private var penalty: Int {
        var sum = 0
        for line in 0..<size {
            sum += Self.penalty(of: (0..<size).map { isDark($0, line) })
            sum += Self.penalty(of: (0..<size).map { isDark(line, $0) })
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let colour = isDark(x, y)
                let isBlock =
                    isDark(x + 1, y) == colour && isDark(x, y + 1) == colour
                    && isDark(x + 1, y + 1) == colour
                if isBlock { sum += 3 }
            }
        }
        let dark = modules.count(where: \.self)
        return sum + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    private static func penalty(of line: [Bool]) -> Int {
        var sum = 0
        var run = 0
        for (place, colour) in line.enumerated() {
            run = place > 0 && line[place - 1] == colour ? run + 1 : 1
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
        }
        let finder = [true, false, true, true, true, false, true]
        for start in 0...line.count - 7 where line[start..<start + 7].elementsEqual(finder) {
            let before = line[max(0, start - 4)..<start]
            let after = line[start + 7..<min(line.count, start + 11)]
            if !before.contains(true) || !after.contains(true) { sum += 40 }
        }
        return sum
    }
}

/// Error correction in the field of 256 elements with the polynomial 0x11D (§7.5.2).
private enum ReedSolomon {
    /// The product of `x - 2^i`, without its first coefficient, the highest power first.
    static func generator(_ degree: Int) -> [UInt8] {
        var result = Array(repeating: UInt8(0), count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for place in result.indices {
                result[place] = product(result[place], root)
                if place + 1 < degree { result[place] ^= result[place + 1] }
            }
            root = product(root, 2)
        }
        return result
    }

    static func remainder(of data: ArraySlice<UInt8>, by generator: [UInt8]) -> [UInt8] {
        var result = Array(repeating: UInt8(0), count: generator.count)
        for byte in data {
            let factor = byte ^ result[0]
            result = Array(result.dropFirst()) + [0]
            for place in result.indices { result[place] ^= product(generator[place], factor) }
        }
        return result
    }

    private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var product: UInt16 = 0
        for place in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) * 0x11D
            if other >> place & 1 == 1 { product ^= UInt16(one) }
        }
        return UInt8(truncatingIfNeeded: product)
    }
}

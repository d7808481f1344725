import PorticoBytes
import Testing

@Suite("Days of the Gregorian calendar")
struct CivilDateTests {
    static let times: [(Int64, [Int])] = [
        (0, [1970, 1, 1, 0, 0, 0, 4]), (951_782_400, [2000, 2, 29, 0, 0, 0, 2]),
        (951_868_799, [2000, 2, 29, 23, 59, 59, 2]), (1_709_164_800, [2024, 2, 29, 0, 0, 0, 4]),
        (4_107_542_400, [2100, 3, 1, 0, 0, 0, 1]), (-1, [1969, 12, 31, 23, 59, 59, 3]),
        (1_795_298_400, [2026, 11, 21, 22, 0, 0, 6]), (-62_135_596_800, [1, 1, 1, 0, 0, 0, 1]),
        (784_111_777, [1994, 11, 6, 8, 49, 37, 0]),
        (253_402_300_799, [9999, 12, 31, 23, 59, 59, 5]),
    ]

    @Test("a time has its day, and a day its time", arguments: times)
    func days(time: Int64, parts: [Int]) {
        let date = CivilDate(time)
        #expect(
            [
                date.year, date.month, date.day, date.hour, date.minute, date.second,
                date.weekday,
            ] == parts
        )
        let midnight = CivilDate.seconds(year: date.year, month: date.month, day: date.day)
        #expect(midnight + Int64(date.hour * 3600 + date.minute * 60 + date.second) == time)
    }

    @Test("hours, minutes and seconds have two digits")
    func clock() {
        #expect(CivilDate(951_868_799).clock == "23:59")
        #expect(CivilDate(32_949).clockWithSeconds == "09:09:09")
    }

    @Test("a time outside the years 1 to 9999 is moved to their ends")
    func extremes() {
        #expect(CivilDate(.min) == CivilDate(-62_135_596_800))
        #expect(CivilDate(.max) == CivilDate(253_402_300_799))
    }
}

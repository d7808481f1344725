package import PorticoBytes

/// Where the person is signed in: this device first; each session can be ended.
///
/// A form posts `csrf`, and `id` with `action=end`, or `action=end-others`.
package struct AccountDevicesPage: Page {
    package struct Device: Sendable {
        /// What the form gives back.
        package let id: String
        /// Such as "Firefox on Linux"; empty: it is not known.
        package let name: String
        /// The app, where it is one.
        package let app: String?
        /// The network address it began at.
        package let address: String?
        /// Seconds since 1970.
        package let lastSeen: Int64
        package let isThis: Bool

        package init(
            id: String,
            name: String,
            app: String? = nil,
            address: String? = nil,
            lastSeen: Int64,
            isThis: Bool = false
        ) {
            self.id = id
            self.name = name
            self.app = app
            self.address = address
            self.lastSeen = lastSeen
            self.isThis = isThis
        }
    }

    package enum Status: Sendable, Equatable {
        case ended, othersEnded
    }

    /// Whose they are, where no other page says so.
    package let account: PageAccount?
    package let devices: [Device]
    package let now: Int64
    package let form: PageForm
    package let status: Status?
    package let signOut: PageLink?
    private let pages: PageNavigation

    package init(
        account: PageAccount? = nil,
        devices: [Device],
        now: Int64,
        form: PageForm,
        status: Status? = nil,
        signOut: PageLink? = nil,
        navigation: PageNavigation = PageNavigation()
    ) {
        self.account = account
        self.devices = devices
        self.now = now
        self.form = form
        self.status = status
        self.signOut = signOut
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(.devices) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.area.place(.devices)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let lists = words.lists
        let ordered = devices.filter(\.isThis) + devices.filter { !$0.isThis }
        let rows = ordered.enumerated().map { index, device in
            RowBlock(
                id: "device-\(index + 1)",
                title: device.name.isEmpty ? lists.unknownDevice : "\(name: device.name)",
                tag: device.isThis ? lists.thisDevice : nil,
                remarks: [
                    device.app.map { lists.inApp($0) },
                    device.address.map { lists.address($0) },
                    lists.seen(words.time.ago(device.lastSeen, at: now)),
                ].compactMap(\.self),
                form: device.isThis
                    ? nil : (form.with("id", device.id), ActionButton("end", lists.end))
            )
        }
        let done: Phrase? =
            switch status {
            case .ended: lists.ended
            case .othersEnded: lists.othersEnded
            case nil: nil
            }
        let hasOthers = devices.contains { !$0.isThis }
        return HTML([
            .status(done),
            account.map(HTML.account),
            .line(lists.devicesIntro),
            .rows(rows),
            hasOthers
                ? .form(form, [.buttons([ActionButton("end-others", lists.endOthers)])])
                : .note(lists.noOthers),
            .links([PageStep(signOut, words.area.signOut)]),
        ])
    }
}

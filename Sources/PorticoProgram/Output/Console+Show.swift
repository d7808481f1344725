import PorticoProtocol

extension Console {
    /// What a command found, in the form that was asked for.
    func show(_ table: Table, _ json: JSONValue, _ options: ReadOptions) {
        if options.json {
            data(json.serialized())
        } else if options.plain {
            if !table.rows.isEmpty { data(table.plain) }
        } else {
            data(table.text(width: showsDataOnTerminal ? Table.terminalWidth : nil))
        }
    }
}

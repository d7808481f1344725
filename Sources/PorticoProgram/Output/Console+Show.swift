import PorticoProtocol

extension Console {
    /// What a command found, in the form that was asked for.
    func show(_ table: Table, _ json: JSONValue, _ options: ReadOptions) throws(Failure) {
        if options.json {
            try data(json.serialized())
        } else if options.plain {
            if !table.rows.isEmpty { try data(table.plain) }
        } else {
            try data(table.text(width: showsDataOnTerminal ? Table.terminalWidth : nil))
        }
    }
}

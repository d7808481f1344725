package import PorticoStores

extension ProtocolMapperRecord {
    /// Why the mapper writes nothing, for the operator; `nil` if it is evaluated.
    package var whyNotEvaluated: String? {
        do throws(ProtocolMapperError) {
            _ = try ProtocolMapper(self)
            return nil
        } catch {
            return "\(error.words)"
        }
    }
}

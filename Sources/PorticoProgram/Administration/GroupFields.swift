import ArgumentParser
import PorticoStores

/// The fields of a new or changed group. What is left out stays as it is.
struct GroupFields: ParsableArguments {
    @Option(help: .value("text", "What the group is for.")) var description: String?

    @OptionGroup var attributes: AttributeFields

    func apply(to group: inout Group) {
        if let description { group.description = description }
        attributes.apply(to: &group.attributes)
    }
}

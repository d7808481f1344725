import NIOCore
package import PorticoBytes
package import PorticoProtocol
package import PorticoStandIns
import PorticoWeb

extension ATHost {
    /// Removes all faults.
    package func repair() {
        configure { $0 = ATHostFaults() }
    }
}

extension RequestLog<ATHostCall> {
    /// Keeps what a host is asked; in what the directory of DIDs answers it sets members.
    ///
    /// - Parameter members: Of the document; of the moment.
    package func hook(settingOfDIDs members: Locked<JSONObject> = Locked([:]))
        -> StandInHook<ATHostCall>
    {
        { call, answer in
            self.append(call)
            let response = await answer(call)
            let members = members.withLock { $0 }
            guard call.endpoint == .directory, !members.isEmpty,
                // `try?`: what is no JSON stays.
                var json = try? JSONObject(parsing: response.body.readableBytesView)
            else { return response }
            for (name, value) in members { json[name] = value }
            return Response(
                status: response.status,
                headers: response.headers,
                bytes: json.serialized()
            )
        }
    }
}

import Foundation
import HTTPTypes

/// Calls of the person's own host, through the backend: `/xrpc/{method}`. The app knows neither the
/// host nor a token for it.
struct Records {
    let account: any Account

    private static let collection = "com.example.note"

    /// - Returns: The record's address.
    func write(_ text: String) async throws -> String {
        let input = Input(
            repo: try await did(),
            collection: Self.collection,
            record: Note(
                type: Self.collection,
                text: text,
                createdAt: Date().formatted(.iso8601)
            )
        )
        var request = account.request(.post, "/xrpc/com.atproto.repo.createRecord")
        request.headerFields[.contentType] = "application/json"
        let body = [UInt8](try JSONEncoder().encode(input))
        return try await answer(Output.self, to: request, body).uri
    }

    /// The newest first.
    func list() async throws -> [String] {
        let query = "repo=\(try await did())&collection=\(Self.collection)&limit=20"
        let request = account.request(.get, "/xrpc/com.atproto.repo.listRecords?\(query)")
        return try await answer(Page.self, to: request).records.map(\.value.text)
    }

    private func did() async throws -> String {
        guard let person = try await account.restore() else { throw Failure.signedOut }
        return person.did
    }

    private func answer<Answer: Decodable>(
        _ type: Answer.Type,
        to request: HTTPRequest,
        _ body: [UInt8] = []
    ) async throws -> Answer {
        let (data, status) = try await account.send(request, body)
        guard status == 200 else { throw Failure.answered(status) }
        return try JSONDecoder().decode(type, from: data)
    }

    private struct Note: Codable {
        let type: String
        let text: String
        let createdAt: String

        enum CodingKeys: String, CodingKey {
            case type = "$type"
            case text, createdAt
        }
    }

    private struct Input: Encodable {
        let repo: String
        let collection: String
        let record: Note
    }

    private struct Output: Decodable {
        let uri: String
    }

    private struct Page: Decodable {
        struct Record: Decodable {
            let value: Note
        }

        let records: [Record]
    }
}

import ArgumentParser
import Hummingbird
import AsyncHTTPClient
import Configuration
@main struct Program: AsyncParsableCommand { func run() async throws { print("hi") } }

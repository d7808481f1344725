# The two commands are `make run` and `make test`; each does its own set-up.
.PHONY: run test build release standards check mutate format

build:
	@scripts/setup build
	swift build

release:
	@scripts/setup build
	swift build -c release --product portico --static-swift-stdlib

run: release
	.build/release/portico serve --demo

test:
	@scripts/setup test
	scripts/test

standards:
	@scripts/standards

check:
	@scripts/setup test
	scripts/check

mutate:
	@scripts/setup test
	scripts/mutate

format:
	swift format -i -r Package.swift Sources Tests


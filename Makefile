# The two commands are `make run` and `make test`; each does its own set-up.
.PHONY: run test bench build release check peers consumer docs standards mutate format

build:
	@scripts/setup build
	swift build --traits Server --explicit-target-dependency-import-check error

# Without symbols and debug information; of what is linked in, nothing is exported.
RELEASE = -c release --static-swift-stdlib -debug-info-format none \
	-Xswiftc -use-ld=lld -Xlinker -s -Xlinker --no-export-dynamic

release:
	@scripts/setup build
	swift build --traits Server --product portico $(RELEASE)

run: release
	.build/release/portico serve --demo

test check:
	@scripts/setup test
	scripts/check

peers: build
	@scripts/setup peers
	scripts/peers --all

consumer:
	scripts/consumer --build

docs: build
	scripts/docs

bench: release
	@scripts/setup bench
	scripts/bench
	swift build --traits Server --product PageCost $(RELEASE)
	.build/release/PageCost
	swift build --traits Server --product SignInCost $(RELEASE)
	.build/release/SignInCost
	scripts/dearest-request

standards:
	@scripts/standards

mutate:
	@scripts/setup test
	scripts/mutate --together --folder .build-mutants

format:
	swift format -i -r Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Examples

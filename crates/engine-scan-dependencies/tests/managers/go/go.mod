module fixture.test/app

go 1.17

require (
	example.test/Upper/c v2.0.0+incompatible
	example.test/a v1.2.0
)

require example.test/b v1.0.0 // indirect

module coord/testdata/tools/mutants

go 1.26.0

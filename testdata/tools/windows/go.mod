module coord/testdata/tools/windows

go 1.26.0

module coord/testdata/tools/markdown-oracle

go 1.26.0

require coord v0.0.0

require github.com/sergi/go-diff v1.3.2-0.20230802210424-5b0b94c5c0d3 // indirect

require (
	github.com/yuin/goldmark v1.8.7 // indirect
	golang.org/x/text v0.44.0 // indirect
	rsc.io/markdown v0.0.0-20240306144322-0bf8f97ee8ef
)

replace coord => ../../..

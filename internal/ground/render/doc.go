// Package render writes the text of host files from typed values. Its functions are pure; every pair of input and output is in
// testdata. Free text goes through the one quoter of its format (quote.go); everything else is a number, an address, a constant
// or a type of package value.
package render

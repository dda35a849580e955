package coord

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// digestOf is the SHA-256 in hex of the JSON of v, which holds only strings,
// numbers, slices, structs and string-keyed maps.
func digestOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("coord: %T does not marshal: %v", v, err))
	}
	return hexSum(b)
}

// hexSum is the SHA-256 of b in hex.
func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

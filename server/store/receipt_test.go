package store

import (
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/servicetest"
)

// TestV1_NoColumnOfAReceiptChanges tries each, whatever columns there are.
func TestV1_NoColumnOfAReceiptChanges(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
	project(t, s, "pay")
	alpha := session(t, s, coord.Caller{Principal: "agents", Role: coord.RoleAgent}, "alpha")
	held, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: newTask(t, alpha, "pay")})
	if err != nil {
		t.Fatal(err)
	}
	run := coord.Run{Check: "test", Definition: strings.Repeat("0", 64), Tree: coord.OID(strings.Repeat("1", 40)), Result: coord.ResultPassed}
	if _, err := alpha.RecordReceipt(t.Context(), coord.RecordReceipt{Key: newKey(), Attempt: held.Attempt.ID, Fence: held.Attempt.Fence, Run: run}); err != nil {
		t.Fatal(err)
	}
	rows, err := s.writer.conn.QueryContext(t.Context(), "SELECT name FROM pragma_table_info('receipts')")
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, name)
	}
	if err := rows.Close(); err != nil || len(columns) < 20 {
		t.Fatalf("%v, %v", columns, err)
	}
	for _, c := range columns {
		if _, err := s.writer.conn.ExecContext(t.Context(), "UPDATE receipts SET "+c+" = "+c); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", c, err)
		}
	}
	if _, err := s.writer.conn.ExecContext(t.Context(), "DELETE FROM receipts"); err == nil {
		t.Error("a receipt can be deleted")
	}
}

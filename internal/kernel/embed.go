package kernel

import "fmt"

// Gather copies row ids[i] of the table (vocabulary,n) to row i of y (len(ids),n).
func Gather[F Float](y []F, table []F, ids []int32, n int) {
	checkMatrix("Gather: y", len(y), len(ids), n, n)
	checkIDs("Gather", ids, len(table), n)
	for i, id := range ids {
		copy(y[i*n:i*n+n], table[int(id)*n:int(id)*n+n])
	}
}

// ScatterAdd adds row i of dy (len(ids),n) to row ids[i] of dtable (vocabulary,n), in
// order. It is the backward pass of Gather.
func ScatterAdd[F Float](dtable, dy []F, ids []int32, n int) {
	checkMatrix("ScatterAdd: dy", len(dy), len(ids), n, n)
	checkIDs("ScatterAdd", ids, len(dtable), n)
	for i, id := range ids {
		Add(dtable[int(id)*n:int(id)*n+n], dy[i*n:i*n+n])
	}
}

// checkIDs panics unless each id is the index of a row of the table, which has size
// elements in all.
func checkIDs(what string, ids []int32, size, n int) {
	for i, id := range ids {
		if id < 0 || (int(id)+1)*n > size {
			panic(fmt.Sprintf("kernel: %s: id %d at position %d is outside the table of %d elements with %d columns",
				what, id, i, size, n))
		}
	}
}

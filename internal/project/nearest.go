package project

// Nearest returns the name that differs least from what was written, or ""
// when none is close enough to be meant.
func Nearest(written string, names []string) string {
	written = lower(written)
	best, found := 1+max(1, len(written)/3), ""
	for _, name := range names {
		if d := Distance(written, name); d < best {
			best, found = d, name
		}
	}
	return found
}

// Distance counts the letters to insert, drop, change or swap with their
// neighbour to turn a into b. A difference of letter case counts as nothing, and
// only the first 64 bytes of each count.
func Distance(a, b string) int {
	a, b = lower(a), lower(b)
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}

// lower folds ASCII letters and bounds the length, keys being short.
func lower(s string) string {
	out := []byte(s[:min(len(s), 64)])
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}
